#include "kubectl/plugins/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

extern "C" {  // which glibc 2.36 forgot to say in this header
#include <sys/pidfd.h>
}

namespace tpuwh::server::plugins {

namespace {

using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using How = ChildEnd::How;

error_code system_error(int number) {
  return {number, boost::system::system_category()};
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return number_; }
  void reset(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

// What posix_spawn is to do in the child, freed at the end.
class Setup {
 public:
  explicit Setup(int output) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    // A group of its own, so that what it starts can be killed with it; no signal blocked or
    // ignored because our server does so.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;
  ~Setup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

// Ours, with those of `added` in place of what has their name.
std::vector<std::string> environment(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> out;
  const auto set = [&](const std::string& entry) {
    const auto name = entry.substr(0, entry.find('=') + 1);
    std::erase_if(out, [&](const std::string& each) { return each.starts_with(name); });
    out.push_back(entry);
  };
  for (char** each = environ; *each; ++each) out.emplace_back(*each);
  for (const auto& [name, value] : added) set(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& each : texts) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

// Adds what there is to read; false at the end of it.
bool drain(int descriptor, std::string& output, std::size_t limit) {
  std::array<char, 4096> part;
  while (output.size() <= limit) {
    const ssize_t got = read(descriptor, part.data(), part.size());
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    output.append(part.data(), static_cast<std::size_t>(got));
  }
  return true;
}

// Until the program has ended, or a limit is reached. What it printed before its end is in
// the pipe by then; a grandchild that keeps the pipe open is not waited for.
How watch(int process, int pipe, const ChildProcess& child, std::string& output) {
  const auto deadline = Clock::now() + child.time_limit;
  std::array<pollfd, 2> wanted = {pollfd{process, POLLIN, 0}, pollfd{pipe, POLLIN, 0}};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return How::out_of_time;
    if (child.stop != nullptr && *child.stop) return How::stopped;
    constexpr long look_again = 100;  // ms: whether to stop
    if (poll(wanted.data(), wanted.size(), static_cast<int>(std::min(left, look_again))) < 0 &&
        errno != EINTR)
      return How::out_of_time;
    if (!drain(pipe, output, child.output_limit)) wanted[1].fd = -1;  // poll passes it over
    if (output.size() > child.output_limit) return How::too_much_output;
    if (wanted[0].revents != 0) return How::exited;
    wanted[0].revents = 0;
  }
}

}  // namespace

boost::system::result<ChildEnd> run(const ChildProcess& child) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return system_error(errno);
  Descriptor out(ends[0]), in(ends[1]);
  // The child's end blocks, as programs expect of their standard output.
  fcntl(in.get(), F_SETFL, 0);

  std::vector<std::string> arguments = {child.command};
  arguments.insert(arguments.end(), child.args.begin(), child.args.end());
  std::vector<std::string> variables = environment(child.env);
  pid_t pid = 0;
  const Setup setup(in.get());
  const int failed = posix_spawnp(&pid, child.command.c_str(), &setup.actions, &setup.attributes,
                                  pointers(arguments).data(), pointers(variables).data());
  if (failed != 0) return system_error(failed);
  in.close();

  ChildEnd end;
  // By descriptor: it can be polled beside the pipe, and an old kernel or a seccomp filter that
  // refuses it is told of as that, not as a plugin that took too long.
  Descriptor process(pidfd_open(pid, 0));
  const int unwatched = process.get() < 0 ? errno : 0;
  end.how =
      process.get() < 0 ? How::out_of_time : watch(process.get(), out.get(), child, end.output);
  if (end.how != How::exited) kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return system_error(errno);
  if (unwatched != 0) return system_error(unwatched);
  if (end.how != How::exited) return end;
  if (WIFSIGNALED(status)) end.how = How::signalled;
  end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

}  // namespace tpuwh::server::plugins
