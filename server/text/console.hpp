// Where a command reads from and writes to; main passes the real ones.
#pragma once

#include "topology/result.hpp"

#include <iosfwd>
#include <string_view>

namespace tpuwh::server::text {

struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool terminal;             // `out` is one, so colour helps
  bool interactive = false;  // `in` is one too: somebody can be asked
  bool watched = false;      // `err` is one: somebody reads how far it is
};

// One line on `err`, "tpu-webhook: WHAT". Returns `code`, with which a command ends: 2, it could
// not do what it was asked.
int print_error(const Console& console, std::string_view what, int code = 2);
int print_error(const Console& console, const Error& error);

}  // namespace tpuwh::server::text
