#include "kubectl/access/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace tpuwh::server::access {

namespace {

// Replaces the calling process, a child of fork(), with the program `path`. Calls only functions
// that are safe between fork and exec (signal-safety(7)).
[[noreturn]] void become(const char* path, char* const* arguments, pid_t parent) {
  constexpr int not_started = 127;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(not_started);  // the parent ended before prctl() was called
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(path, arguments);
  _exit(not_started);
}

}  // namespace

boost::system::result<ChildProcess> ChildProcess::start(const std::string& path,
                                                        std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), path);
  std::vector<char*> pointers;
  for (std::string& each : arguments) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return boost::system::error_code(errno, boost::system::system_category());
  if (pid == 0) become(path.c_str(), pointers.data(), parent);
  setpgid(pid, pid);  // the child also calls setpgid(), because either process may run first
  return ChildProcess(pid);
}

ChildProcess::~ChildProcess() {
  if (pid_ == 0) return;
  kill(-pid_, SIGTERM);
  for (int i = 0; i < 200 && pid_ != 0; ++i) {
    if (end()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<std::string> ChildProcess::end() {
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = 0;
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace tpuwh::server::access
