// Where a command reads from and writes to; main passes the real ones.
#pragma once

#include <iosfwd>

namespace tpuwh::server::text {

struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool terminal;             // `out` is one, so colour helps
  bool interactive = false;  // `in` is one too: somebody can be asked
};

}  // namespace tpuwh::server::text
