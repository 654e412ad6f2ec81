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

  // How many of the bytes went. 0: the reader is behind; all of them, too, where nobody reads any
  // more and nobody ever will.
  std::size_t write_now(std::string_view bytes);

  // Until it takes some, at most so long; whether it does.
  bool wait(std::chrono::milliseconds most) const;

  // In how few calls: tests.
  std::size_t calls() const { return calls_; }

 private:
  long try_to_write(std::string_view bytes);

  const int file_;
  bool can_decline_ = true;  // to wait: the kernel's word for this kind of file
  std::size_t calls_ = 0;
};

}  // namespace tpuwh::server::log
