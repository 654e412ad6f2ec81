// Runs a command, and returns its output and its exit code.
#pragma once

#include "kubectl/text/console.hpp"

#include <sstream>
#include <string>

namespace tpuwh::test {

struct Ran {
  int code;
  std::string out, err;
};

// Runs `command`, a function that takes a console and returns an exit code.
template <class Command>
Ran ran(Command&& command, const std::string& input = {}, bool terminal = false) {
  std::istringstream in(input);
  std::ostringstream out, err;
  const int code = command(server::text::Console{in, out, err, terminal});
  return {code, out.str(), err.str()};
}

}  // namespace tpuwh::test
