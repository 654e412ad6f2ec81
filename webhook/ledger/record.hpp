// The ledger of one worker group: which places of its slices are given, and to whom.
// docs/decisions/0012; as an object of the cluster: docs/contract.md, "The ledger".
#pragma once

#include "base/result.hpp"
#include "topology/next_member.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::ledger {

// A place from the write that gives it to the write that frees it.
struct LedgerEntry {
  topology::Place place;
  std::string token;  // of the Pod (webhook/ledger/token.hpp); names the place too

  bool operator==(const LedgerEntry&) const = default;
};

struct LedgerRecord {
  // A group larger than all TPUs there are is a mistake or an attack; 16,384 entries are
  // 450 KB, and an object may have 1 MiB.
  static constexpr std::size_t max_entries = 16'384;

  std::uint32_t hosts_per_slice = 0;
  // The object was lost while Pods lived, and rebuilt from them: no place is given until
  // every Pod that was being created then has arrived (times::rebuild).
  bool rebuilding = false;
  std::vector<LedgerEntry> entries;

  const LedgerEntry* find(std::string_view token) const;

  // Whether a place is of its slices.
  bool can_hold(const topology::Place& place) const;

  // Drops the entries whose place is not: no ledger writes one, but a person may, and
  // once labels brought them in (PlacePlan).
  //   returns  how many
  std::size_t drop_impossible();
  bool operator==(const LedgerRecord&) const = default;
};

// One token a line. The same text for the same entries, in whatever order they were given.
std::string entries_text(const LedgerRecord& record);

//   errors  bad_value: a line that is not a token, with its number
Result<std::vector<LedgerEntry>> parse_entries(std::string_view text);

}  // namespace tpuwh::webhook::ledger
