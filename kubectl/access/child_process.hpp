// Runs a program as a child process that ends at the latest when this program ends.
#pragma once

#include <boost/system/result.hpp>

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::access {

class ChildProcess {
 public:
  // Starts the program `path` without a shell, as a child process with a process group of its own.
  // The child's standard input and output are /dev/null, its standard error is that of this
  // program, and the child inherits no other descriptor. If this program ends without running the
  // destructor of ChildProcess, for example by SIGKILL, the kernel sends SIGTERM to the child. Call
  // this function on the main thread, because the kernel also sends SIGTERM to the child when the
  // thread that called this function ends.
  //
  //   errors  EAGAIN or ENOMEM: the process cannot be created
  static boost::system::result<ChildProcess> start(const std::string& path,
                                                   std::vector<std::string> arguments);

  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Sends SIGTERM to the process group, and SIGKILL if the program still runs 2 s later.
  ~ChildProcess();

  pid_t pid() const { return pid_; }

  // Returns how the program ended ("exit code 1" or "signal 9"), or nullopt while the program runs.
  std::optional<std::string> end();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;  // 0 if the process has ended, or if another ChildProcess owns it now
};

}  // namespace tpuwh::server::access
