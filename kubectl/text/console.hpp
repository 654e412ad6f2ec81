// Where a command reads from and writes to; main passes the real ones.
#pragma once

#include "base/result.hpp"
#include "kubectl/text/printed.hpp"

#include <iosfwd>
#include <string_view>

namespace tpuwh::server::text {

// A stream that a person or a terminal may be behind: it takes what is escaped for that, alone.
class Output {
 public:
  Output(std::ostream& stream) : stream_(&stream) {}  // NOLINT: meant to convert

  const Output& operator<<(const Printed& text) const;
  const Output& operator<<(Literal text) const { return *this << Printed(text); }
  // Flushes the stream. Returns false once the stream has failed and takes no more output.
  bool flush() const;
  // For what writes lines of its own: the log, Progress.
  std::ostream& stream() const { return *stream_; }

 private:
  std::ostream* stream_;
};

struct Console {
  std::istream& in;
  Output out;
  Output err;
  bool terminal;                             // `out` is one, so colour helps
  bool interactive = false;                  // `in` is one too: somebody can be asked
  bool watched = false;                      // `err` is one: somebody reads how far it is
  std::string_view program = "kubectl-tpu";  // who speaks, on `err`
};

// One line on `err`, "kubectl-tpu: WHAT", with `what` escaped. Returns `code`, with which a command
// ends: 2, it could not do what it was asked.
int print_error(const Console& console, std::string_view what, int code = 2);
int print_error(const Console& console, const Error& error);

}  // namespace tpuwh::server::text
