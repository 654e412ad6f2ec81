// What a command prints, as a person at a terminal and a program read it.
#pragma once

#include "kubectl/text/console.hpp"
#include "tests/fuzz/targets.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <sstream>
#include <string>

namespace tpuwh::fuzz {

struct Ended {
  int code = 0;
  std::string out, err;
};

// `command` with these bytes on standard input.
inline Ended run_command(std::string_view bytes,
                         const std::function<int(const server::text::Console&)>& command) {
  std::istringstream in{std::string(bytes)};
  std::ostringstream out, err;
  Ended said;
  said.code = command({in, out, err, false});
  said.out = out.str();
  said.err = err.str();
  return said;
}

// No control character but the end of a line: nothing moves a cursor or changes a colour.
inline void require_plain(const std::string& text) {
  for (const char c : text)
    require(c == '\n' || (c >= ' ' && c != '\x7f') || static_cast<unsigned char>(c) >= 0x80,
            "a control character is printed: " + std::to_string(static_cast<int>(c)));
}

// An exit code of 0 to 2, of which 2 is "could not do it" and comes with a line that says why.
inline void require_ended(const Ended& said) {
  require(said.code >= 0 && said.code <= 2, "exit code " + std::to_string(said.code));
  require(said.code != 2 || !said.err.empty(), "exit code 2 without a sentence");
  require_plain(said.err);
  require(said.err.empty() || said.err.back() == '\n', "the last line does not end");
}

inline void require_json(const std::string& text) {
  require(text.empty() || nlohmann::json::accept(text), "no JSON: " + text);
}

}  // namespace tpuwh::fuzz
