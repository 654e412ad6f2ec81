#include "webhook/ledger/record.hpp"

#include "base/names.hpp"
#include "base/result.hpp"
#include "webhook/ledger/token.hpp"

#include <algorithm>

namespace tpuwh::webhook::ledger {

const LedgerEntry* LedgerRecord::find(std::string_view token) const {
  const auto found = std::ranges::find(entries, token, &LedgerEntry::token);
  return found == entries.end() ? nullptr : &*found;
}

bool LedgerRecord::can_hold(const topology::Place& place) const {
  return is_possible(place) && place.host < hosts_per_slice;
}

std::size_t LedgerRecord::drop_impossible() {
  return std::erase_if(entries, [&](const LedgerEntry& entry) { return !can_hold(entry.place); });
}

std::string entries_text(const LedgerRecord& record) {
  std::vector<const LedgerEntry*> sorted;
  for (const LedgerEntry& entry : record.entries) sorted.push_back(&entry);
  std::ranges::sort(sorted, [](const LedgerEntry* a, const LedgerEntry* b) {
    return a->place != b->place ? a->place < b->place : a->token < b->token;
  });
  std::string text;
  for (const LedgerEntry* entry : sorted) text.append(entry->token).push_back('\n');
  return text;
}

Result<std::vector<LedgerEntry>> parse_entries(std::string_view text) {
  std::vector<LedgerEntry> entries;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view token = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto place = parse_token(token);
    if (!place)
      return bad_value("line " + std::to_string(line) + " is \"" + base::printable(token) +
                       "\", expected <slice>-<host>-<16 hex digits>");
    entries.push_back({*place, std::string(token)});
  }
  return entries;
}

}  // namespace tpuwh::webhook::ledger
