// A program that runs beside this one and does not outlive it.
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
  // Starts the program `path` without a shell, in a process group of its own. Standard input and
  // output are /dev/null, standard error is ours, and no other descriptor is handed on. If this
  // program ends without the destructor, by SIGKILL too, the kernel sends the child SIGTERM.
  // To be called on the main thread: the kernel counts the end of the thread that called.
  //
  //   errors  why there is no process: EAGAIN, ENOMEM
  static boost::system::result<ChildProcess> start(const std::string& path,
                                                   std::vector<std::string> arguments);

  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Sends the process group SIGTERM and, 2 s later, SIGKILL.
  ~ChildProcess();

  pid_t pid() const { return pid_; }

  // Returns how the program ended, "exit code 1" or "signal 9"; nullopt while it runs.
  std::optional<std::string> end();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;  // 0 once there is no process
};

}  // namespace tpuwh::server::access
