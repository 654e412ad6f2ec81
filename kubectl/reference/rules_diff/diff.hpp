// What is different between the declared surfaces of two releases.
#pragma once

#include "base/result.hpp"
#include "server/rules/rules.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::rules_diff {

using rules::Read;
using rules::Rules;
using rules::Write;

// What rules::to_json() of this or another release made. Errors say what is missing, and where.
Result<Rules> parse_rules(const std::string& text);

// From an older release to a newer one. An entry is the same where operation and path, or
// where and what, are; "changed" is one whose condition or reason differs.
template <class Entry>
struct EntryDiff {
  std::vector<Entry> added, removed;
  std::vector<std::pair<Entry, Entry>> changed;  // was, is
};
struct RulesDiff {
  EntryDiff<Write> writes;
  EntryDiff<Read> reads;
  std::vector<std::string> no_longer_never;  // fields that the older one promised not to write

  bool grew() const {
    return !writes.added.empty() || !reads.added.empty() || !no_longer_never.empty();
  }
};
RulesDiff compare(const Rules& older, const Rules& newer);

}  // namespace tpuwh::server::rules_diff
