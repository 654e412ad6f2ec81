// The declared surface as a value: what this program may ever write into a Pod and what it
// reads, as one release printed it. Its JSON form is an interface: docs/contract.md, "Rules".
#pragma once

#include "server/text/json_text.hpp"

#include <string>
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

inline constexpr int rules_format = 1;  // what "format" says in it
Json to_json(const Rules& rules);

}  // namespace tpuwh::server::rules
