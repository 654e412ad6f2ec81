// The record of a group as one write would leave it: who goes, who stays, and which places
// are left for those who ask (docs/decisions/0012).
#pragma once

#include "webhook/ledger/group_pod.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/ledger/record.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::webhook::ledger {

// begin_new() and free(), then count_places(), then the questions one after another: each sees
// what those before it were given. No place beyond the slices enters or leaves it: a label says
// what its Pod's author wrote (docs/decisions/0012).
class PlacePlan {
 public:
  // As the group is now; `pods` outlives the plan.
  PlacePlan(LedgerRecord record, const GroupPods& pods) : record_(std::move(record)), pods_(pods) {}

  // A record that has not begun is of slices of so many hosts.
  void begin_new(std::uint32_t hosts_per_slice) {
    if (record_.hosts_per_slice == 0) record_.hosts_per_slice = hosts_per_slice;
  }

  // Drops the entries of which `is_gone` is true.
  //   returns  how many
  template <class F>
  std::size_t free(F&& is_gone) {
    return std::erase_if(record_.entries, is_gone);
  }

  // Takes Pods into account: a place is also taken by a Pod without an entry.
  //   cost  linear in Pods and entries
  void count_places();

  // The slices of a group without members may have any size.
  void begin_empty(std::uint32_t hosts_per_slice) {
    if (record_.entries.empty()) record_.hosts_per_slice = hosts_per_slice;
  }

  // An entry is there for this review, of a place of `size`: given by a write whose outcome was
  // not known.
  const LedgerEntry* given_to(std::string_view review_uid, const topology::GroupSize& size) const;
  // The entry with this token, if `size` holds its place and nobody else does.
  LedgerEntry* only_holder(std::string_view token, const topology::GroupSize& size);

  std::optional<topology::Place> next(const topology::GroupSize& size) const;
  void give(topology::Place place, std::string token);

  bool is_crowded() const { return record_.entries.size() >= LedgerRecord::max_entries; }

  const LedgerRecord& record() const& { return record_; }
  LedgerRecord record() && { return std::move(record_); }

 private:
  void adopt_strays();

  LedgerRecord record_;
  const GroupPods& pods_;
  std::vector<topology::Place> taken_, leaving_;
};

}  // namespace tpuwh::webhook::ledger
