// The declared surface as a value: what this program may ever write into a Pod and what it
// reads, as one release printed it. Its JSON form is an interface: docs/contract.md, "Rules".
#pragma once

#include "base/result.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::rules {

struct Write {
  std::string operation;  // "add"
  std::string path;       // JSON pointer, '*' for an index
  std::string when;
  std::string why;
};

struct Read {
  std::string where;  // "review", "Pod", "file"
  std::string what;
  std::string why;
};

struct Rules {
  std::string version;  // of the program
  std::string prefix;   // of its annotations and labels
  std::vector<Write> writes;
  std::vector<std::string> never;
  std::vector<Read> reads;
};

// Of this program, with a prefix such as "tpu-webhook.dev/".
Rules rules_of(const std::string& prefix);

nlohmann::ordered_json to_json(const Rules& rules);
// What to_json() of this or another release made. Errors say what is missing, and where.
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

}  // namespace tpuwh::server::rules
