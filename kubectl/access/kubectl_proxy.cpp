#include "kubectl/access/kubectl_proxy.hpp"

#include "kubectl/access/child_process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

namespace tpuwh::server::access {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using kube::access::ApiConfig;

// The longest wait until kubectl listens on its socket. Usually kubectl needs 0.05 to 0.2 s, but
// longer on a busy machine or if a wrapper downloads kubectl first.
constexpr std::chrono::seconds start_time{30};
constexpr std::chrono::milliseconds look_again{5};

Error failure(std::string what) {
  return Error(kube::access::Errc::api_access, std::move(what));
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Returns the path of the program `name`, or "" if $PATH has no such program.
std::string find_program(const std::string& name) {
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

// The process that the signal handler terminates, and the folder and the socket that the handler
// removes. These values change only while the handled signals are blocked.
struct Running {
  pid_t pid = 0;  // 0 if no process runs
  std::array<char, sizeof(sockaddr_un::sun_path)> folder{}, socket{};
};
Running running;

constexpr int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

void remove_all() {
  unlink(running.socket.data());
  rmdir(running.folder.data());
}

void on_ending_signal(int number) {
  if (running.pid != 0) kill(-running.pid, SIGTERM);
  remove_all();
  raise(number);  // ends this program, because SA_RESETHAND has restored the default action
}

// Installs the handler on_ending_signal() for each of the `ending_signals` whose action is the
// default. The default action would end this program without removing the socket and its folder. A
// command that handles these signals itself replaces this handler with its own.
void handle_signals() {
  for (const int number : ending_signals) {
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = on_ending_signal;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(number, &ours, nullptr);
  }
}

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t ours;
    sigemptyset(&ours);
    for (const int number : ending_signals) sigaddset(&ours, number);
    sigprocmask(SIG_BLOCK, &ours, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// A `kubectl proxy` process and the Unix socket on which it listens.
class Proxy {
 public:
  Proxy() = default;
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy() {
    const BlockedSignals blocked;
    child_.reset();
    remove_all();
    running = {};
  }

  std::optional<Error> start(const Choice& choice);

  // Connects to the proxy and returns the descriptor of the connection.
  Result<int> connect() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, running.socket.data(), running.socket.size());
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 &&
        ::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return descriptor;
    const int cause = errno;
    if (descriptor >= 0) close(descriptor);
    return failure(fmt::format("kubectl proxy no longer accepts connections: {}", strerror(cause)));
  }

 private:
  std::optional<Error> make_folder();

  std::optional<ChildProcess> child_;
};

std::optional<Error> Proxy::make_folder() {
  std::string folder = environment("TMPDIR");
  if (folder.empty()) folder = "/tmp";
  folder += "/kubectl-tpu-XXXXXX";
  constexpr std::string_view name = "/socket";
  if (folder.size() + name.size() >= running.socket.size())
    return failure(
        fmt::format("\"{}\" is too long for the folder of kubectl proxy's socket; expected at "
                    "most {} bytes: set TMPDIR to a folder with a shorter path",
                    folder, running.socket.size() - name.size() - 1));
  if (mkdtemp(folder.data()) == nullptr)  // creates the folder with mode 0700
    return failure(
        fmt::format("cannot create the folder {} for the socket of kubectl proxy: {}; set "
                    "TMPDIR to a writable folder",
                    folder, strerror(errno)));
  folder.copy(running.folder.data(), folder.size());
  (folder + std::string(name)).copy(running.socket.data(), folder.size() + name.size());
  return std::nullopt;
}

std::optional<Error> Proxy::start(const Choice& choice) {
  const std::string kubectl = find_program("kubectl");
  if (kubectl.empty())
    return failure(
        "kubectl is not in $PATH, but kubectl-tpu needs kubectl to reach a cluster; install "
        "kubectl, or run kubectl-tpu in a Pod with a ServiceAccount");
  {
    const BlockedSignals blocked;
    if (auto error = make_folder()) return error;
    std::vector<std::string> arguments = {"proxy",
                                          fmt::format("--unix-socket={}", running.socket.data())};
    if (!choice.kubeconfig.empty()) arguments.push_back("--kubeconfig=" + choice.kubeconfig);
    if (!choice.context.empty()) arguments.push_back("--context=" + choice.context);
    auto child = ChildProcess::start(kubectl, std::move(arguments));
    if (!child)
      return failure(fmt::format("cannot start {}: {}", kubectl, child.error().message()));
    child_.emplace(std::move(*child));
    running.pid = child_->pid();
    handle_signals();
  }
  for (const auto until = Clock::now() + start_time; Clock::now() < until;) {
    if (const auto descriptor = connect()) {
      close(*descriptor);
      return std::nullopt;
    }
    if (const auto end = child_->end()) {
      running.pid = 0;
      return failure(
          fmt::format("{} proxy ended with {} before it listened; the message of kubectl is on "
                      "standard error",
                      kubectl, *end));
    }
    std::this_thread::sleep_for(look_again);
  }
  return failure(fmt::format("{} proxy did not listen within {} s", kubectl, start_time.count()));
}

}  // namespace

Result<ApiConfig> find_api_server(const Choice& choice) {
  const auto pod = kube::access::PodAccess::from_environment();
  const bool named =
      !choice.kubeconfig.empty() || !choice.context.empty() || !environment("KUBECONFIG").empty();
  if (!named && pod.in_cluster()) return kube::access::in_cluster_config(pod);
  const auto proxy = std::make_shared<Proxy>();
  if (auto error = proxy->start(choice)) return *error;
  ApiConfig config;
  config.host = "localhost";  // kubectl proxy refuses requests for other hosts
  config.source = "kubectl";
  config.connect = [proxy] { return proxy->connect(); };
  return config;
}

}  // namespace tpuwh::server::access
