// A descriptor that log lines are written to without ever waiting for its reader.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace tpuwh::server::log {

// For one thread at a time.
class Output {
 public:
  // `file`: an open descriptor that outlives this.
  explicit Output(int file) : file_(file) {}

  // How many of the bytes went. Fewer than all: the reader is behind, or failed().
  std::size_t write_now(std::string_view bytes);

  // Whether the last write_now() met an error: the disk is full, nobody reads any more. Its rest is
  // not to be given again: where a line was cut, what comes next begins with a line feed.
  bool failed() const { return error_ != 0; }
  int error() const { return error_; }  // its errno

  // Until it takes some, at most so long; whether it does.
  bool wait(std::chrono::milliseconds most) const;

  // In how few calls: tests.
  std::size_t calls() const { return calls_; }

 private:
  std::size_t write_some(std::string_view bytes);
  long try_to_write(std::string_view bytes);
  void set_within_a_line(bool within);

  const int file_;
  bool can_decline_ = true;  // to wait: the kernel's word for this kind of file
  int error_ = 0;
  bool within_a_line_ = false;  // what was written last has no line feed yet
  bool cut_ = false;            // and it never will have
  std::size_t calls_ = 0;
};

// Whether what was written last to standard error, by any Output, ends within a line. Any thread.
bool standard_error_is_torn();

}  // namespace tpuwh::server::log
