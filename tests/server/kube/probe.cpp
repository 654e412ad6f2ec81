// server/kube's client and watcher on a line: commands on standard input, one JSON line each
// on standard output. run.py plays the API server.
//
//   get PATH MS            post PATH MS BODY      one request
//   stream PATH SILENCE_MS TOTAL_MS               its body in pieces
//   watch GROUP/VERSION/PLURAL/NAMESPACE          what the sink is told; "-" for none
//   cancel AFTER_MS COMMAND…                      the same, cancelled
#include "base/result.hpp"
#include "server/kube/access/api_config.hpp"
#include "server/kube/client/client.hpp"
#include "server/kube/watch/watcher.hpp"
#include "server/net/task_group.hpp"

#include <nlohmann/json.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

namespace tpuwh::server::kube {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

// Opens a connection without TLS, as kubectl-tpu does to kubectl proxy.
Result<int> connect_to(const std::string& port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return descriptor;
  ::close(descriptor);
  return Error(base::Errc::internal, "the test's proxy does not listen");
}

// Reads pairs "--name value".
access::ApiConfig read_config(const std::map<std::string, std::string>& flags) {
  const auto flag = [&](const char* name) {
    const auto found = flags.find(name);
    return found != flags.end() ? found->second : std::string();
  };
  access::ApiConfig config;
  config.host = flag("--host");
  config.port = flag("--port");
  config.ca_file = flag("--ca-file");
  config.token_file = flag("--token-file");
  config.source = "the test";
  if (!flag("--plain").empty()) config.connect = [port = config.port] { return connect_to(port); };
  return config;
}

struct Collector final : client::StreamReader {
  void on_head(const client::ResponseHead& head) override { status = head.status; }
  bool on_bytes(std::string_view bytes) override {
    body += bytes;
    ++pieces;
    return true;
  }
  unsigned status = 0;
  unsigned pieces = 0;
  std::string body;
};

// The sink's calls, in words: "upsert NAME".
struct Calls final : watch::Sink {
  void begin_relist() override { said.push_back("begin"); }
  void upsert(std::string_view object) override { said.push_back("upsert " + name(object)); }
  void remove(std::string_view object) override { said.push_back("remove " + name(object)); }
  void end_relist() override { said.push_back("end"); }
  void moved(net::TimePoint) override { said.push_back("moved"); }

  static std::string name(std::string_view object) {
    return Json::parse(object)["metadata"]["name"].get<std::string>();
  }
  Json said = Json::array();
};

net::Task<void> one_watch(client::Client& client, std::string line, Json& out) {
  std::istringstream words(line.substr(6));
  const auto next = [&] {
    std::string word;
    std::getline(words, word, '/');
    return word == "-" ? std::string() : word;
  };
  client::Resource resource;
  resource.group = next();
  resource.version = next();
  resource.plural = next();
  resource.ns = next();
  Calls calls;
  log::Log log(log::LogFormat::text, log::LogLevel::info);
  watch::Watcher watcher(client, resource, client::Selectors(), calls, log);
  co_await watcher.run();
  const watch::WatchStatus status = watcher.status();
  out = {{"calls", calls.said},
         {"synced", status.synced},
         {"version", status.version},
         {"error", status.error},
         {"relists", status.relists},
         {"failures", status.failures},
         {"passed_over", status.passed_over},
         {"trouble", static_cast<int>(status.trouble)}};
}

Json to_json(const client::Response& response) {
  constexpr const char* names[] = {"answered", "failed", "unknown"};
  return {{"delivery", names[static_cast<int>(response.delivery)]},
          {"status", response.head.status},
          {"retry_after", response.head.retry_after ? response.head.retry_after->count() : -1},
          {"body", response.body},
          {"error", response.error},
          {"silent", response.silent}};
}

net::Task<void> one_request(client::Client& client, std::string line, Json& out) {
  std::istringstream words(line);
  std::string command, path;
  words >> command >> path;
  client::Request request;
  request.method = command == "post" ? "POST" : "GET";
  request.target = path;
  if (command == "stream") {
    int silence = 0, total = 0;
    words >> silence >> total;
    const client::StreamLimits limits{.silence = milliseconds(silence),
                                      .total = milliseconds(total)};
    Collector collector;
    const client::Response response = co_await client.stream(std::move(request), limits, collector);
    out = to_json(response);
    out["head"] = collector.status;
    out["streamed"] = collector.body;
    co_return;
  }
  int limit = 0;
  words >> limit >> request.body;
  request.content_type = "application/json";
  const client::Response response = co_await client.send(std::move(request), milliseconds(limit));
  out = to_json(response);
}

void run(client::Client& client, boost::asio::io_context& context, net::TaskGroup& tasks,
         const std::string& line) {
  std::string command = line;
  net::Timer timer(context.get_executor());
  if (line.starts_with("cancel ")) {
    std::istringstream words(line.substr(7));
    int after = 0;
    words >> after >> std::ws;
    std::getline(words, command);
    timer.expires_after(milliseconds(after));
    timer.async_wait([&](const net::error_code&) { tasks.cancel(); });
  }
  Json out;
  const auto begin = net::Clock::now();
  const bool watches = command.starts_with("watch ");
  tasks.spawn(context.get_executor(),
              watches ? one_watch(client, command, out) : one_request(client, command, out));
  context.restart();
  context.run();
  out["ms"] = std::chrono::duration_cast<milliseconds>(net::Clock::now() - begin).count();
  out["idle"] = client.idle_connections();
  std::cout << out.dump() << std::endl;
}

}  // namespace
}  // namespace tpuwh::server::kube

int main(int argc, char** argv) {
  using namespace tpuwh::server;
  std::signal(SIGPIPE, SIG_IGN);
  std::map<std::string, std::string> flags;
  for (int i = 1; i + 1 < argc; i += 2) flags[argv[i]] = argv[i + 1];
  net::TaskGroup tasks;
  boost::asio::io_context context{1};
  kube::client::Client client(context.get_executor(), kube::read_config(flags));
  std::string line;
  while (std::getline(std::cin, line)) kube::run(client, context, tasks, line);
}
