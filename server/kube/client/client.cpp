#include "server/kube/client/client.hpp"

#include "server/kube/client/response_parser.hpp"
#include "server/limits/limits.hpp"
#include "server/net/cancelled.hpp"
#include "server/net/deadline.hpp"
#include "server/text/version.hpp"

#include <fmt/format.h>

#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace tpuwh::server::kube::client {
namespace {

namespace api = server::limits::api;

#if defined(__aarch64__)
constexpr std::string_view platform = "linux/arm64";
#else
constexpr std::string_view platform = "linux/amd64";
#endif

bool append_bounded(std::string& body, std::string_view bytes) {
  if (body.size() + bytes.size() > limits::api::answer_bytes) return false;
  body += bytes;
  return true;
}

}  // namespace

// One request on its way, over all attempts.
struct Client::Exchange {
  const Request& request;
  StreamLimits limits;
  StreamReader* reader;  // null: the body is kept
  net::TimePoint until;
  Response response;
  std::string text;        // what is sent
  bool reused = false;     // the connection had been idle
  bool sent = false;       // the server may have got something
  bool answering = false;  // a byte of the answer came

  void begin(std::string whole_request) {
    text = std::move(whole_request);
    response = {};
    reused = sent = answering = false;
  }
  void fail(std::string error) { response.error = std::move(error); }

  bool take(std::string_view bytes) {
    const bool to_reader = reader != nullptr && response.head.ok();
    if (to_reader ? reader->on_bytes(bytes) : append_bounded(response.body, bytes)) return true;
    fail(to_reader ? "stopped by its reader"
                   : fmt::format("the answer is longer than {} bytes", limits::api::answer_bytes));
    return false;
  }

  // A kept connection that the server had closed meanwhile: nothing was heard on it.
  bool worth_another_try() const {
    return reused && !answering && request.reads() && !response.silent && !response.answered();
  }
};

Client::Client(net::Executor executor, access::ApiConfig config)
    : executor_(executor),
      config_(std::move(config)),
      token_(config_.token_file),
      dialer_(executor, config_),
      turns_(executor) {}

net::Task<Response> Client::send(Request request, std::chrono::milliseconds limit) {
  const StreamLimits limits{.silence = limit, .total = limit};
  co_return co_await run(request, limits, nullptr);
}

net::Task<Response> Client::stream(Request request, StreamLimits limits, StreamReader& reader) {
  co_return co_await run(request, limits, &reader);
}

net::Task<Response> Client::run(const Request& request, StreamLimits limits, StreamReader* reader) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  Exchange exchange{.request = request,
                    .limits = limits,
                    .reader = reader,
                    .until = net::Clock::now() + limits.total,
                    .response = {},
                    .text = {}};
  std::string hindrance = co_await turns_.wait(request, exchange.until);
  if (!hindrance.empty()) {
    exchange.fail(std::move(hindrance));
    co_return std::move(exchange.response);
  }
  co_await exchange_with_token(exchange);
  Response& response = exchange.response;
  if (!response.answered() && exchange.sent && !request.reads()) {
    response.delivery = Delivery::unknown;
  }
  obey(request, response);
  co_return std::move(response);
}

net::Task<void> Client::exchange_with_token(Exchange& exchange) {
  const auto authorization = token_.authorization(net::Clock::now());
  if (!authorization) {
    exchange.fail(authorization.error().text());
    co_return;
  }
  co_await exchange_once(exchange, *authorization);
  if (!exchange.response.rejected()) co_return;
  // A kubelet replaces the token file while the old token is kept here: a ledger write that failed
  // for it alone was a Pod refused. What is rejected has changed nothing, so it may be sent again.
  token_.rejected();
  const auto fresh = token_.authorization(net::Clock::now());
  if (fresh && *fresh != *authorization) co_await exchange_once(exchange, *fresh);
  if (exchange.response.rejected()) token_.rejected();
}

void Client::obey(const Request& request, const Response& response) {
  constexpr unsigned too_many_requests = 429;
  if (!response.answered() || response.head.status != too_many_requests) return;
  if (const auto asked = response.head.retry_after)
    turns_.pause(request, *asked, net::Clock::now());
}

// With one set of credentials, on a kept connection or, where that had been closed, a new one.
net::Task<void> Client::exchange_once(Exchange& exchange, const std::string& authorization) {
  exchange.begin(request_text(exchange.request, authorization));
  co_await attempt(exchange, true);
  const bool again = exchange.worth_another_try();
  const bool over = co_await net::cancelled();
  if (again && !over) co_await attempt(exchange, false);
}

net::Task<void> Client::attempt(Exchange& exchange, bool may_reuse) {
  ConnectionPtr connection;
  if (may_reuse) connection = take_idle();
  exchange.reused = connection != nullptr;
  exchange.response.error.clear();
  if (connection == nullptr) {
    auto dialled = co_await dialer_.dial(exchange.until);
    if (!dialled) {
      exchange.response.silent = net::Clock::now() >= exchange.until;
      exchange.fail(dialled.error().text());
      co_return;
    }
    connection = std::move(*dialled);
  }
  const bool reusable = co_await send_and_read(exchange, *connection);
  if (reusable) keep(std::move(connection));
}

// True if the connection may serve another request.
net::Task<bool> Client::send_and_read(Exchange& exchange, Connection& connection) {
  Response& response = exchange.response;
  net::Deadline deadline(executor_);
  const auto give = [&](limits::Duration time) {
    const auto at = std::min<net::TimePoint>(exchange.until, net::Clock::now() + time);
    deadline.arm(at, [&connection] { connection.cut(); });
  };
  const auto fail = [&](std::string_view doing, std::string_view why) {
    response.silent = deadline.passed();
    exchange.fail(fmt::format("{} {}: {}", doing, dialer_.authority(),
                              deadline.passed() ? "no answer in time" : why));
    return false;
  };

  give(limits::api::answer_header);
  exchange.sent = true;  // also where writing fails: some of it may have arrived
  const net::error_code write_error = co_await connection.write(exchange.text);
  if (write_error) co_return fail("writing to", write_error.message());

  ResponseParser parser([&](std::string_view bytes) { return exchange.take(bytes); });
  boost::beast::flat_buffer unused;  // bytes of the answer that the parser has not taken
  for (;;) {
    const auto bytes = unused.cdata();
    const auto progress = parser.read({static_cast<const char*>(bytes.data()), bytes.size()});
    unused.consume(progress.used);
    response.head = parser.head();
    if (progress.state == ResponseParser::State::head) {
      if (response.head.ok() && exchange.reader != nullptr) exchange.reader->on_head(response.head);
      continue;
    }
    if (progress.state == ResponseParser::State::stopped) co_return false;
    if (progress.state == ResponseParser::State::failed) {
      co_return fail("reading from", parser.error());
    }
    if (progress.state == ResponseParser::State::complete) {
      response.delivery = Delivery::answered;
      co_return parser.keeps_alive() && unused.size() == 0;
    }
    if (response.head.status != 0) give(exchange.limits.silence);
    const auto room = unused.prepare(limits::api::read_bytes);
    const std::span into(static_cast<char*>(room.data()), room.size());
    const net::Received received = co_await connection.read_some(into);
    unused.commit(received.size);
    if (received.size > 0) exchange.answering = true;
    if (!received.error) continue;
    const bool closed = received.error == boost::asio::error::eof && !deadline.passed();
    if (closed && parser.begun() && parser.read_end() == ResponseParser::State::complete) {
      response.delivery = Delivery::answered;
      co_return false;
    }
    co_return fail("reading from", closed ? "the connection was closed before the answer's end"
                                          : received.error.message());
  }
}

std::string Client::request_text(const Request& request, const std::string& authorization) const {
  std::string out = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: tpu-webhook/{} ({})\r\n"
      "Accept: application/json\r\n",
      request.method, request.target, dialer_.authority(), text::version, platform);
  if (!authorization.empty()) out += fmt::format("Authorization: {}\r\n", authorization);
  if (request.method != "GET") {
    out += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", request.content_type,
                       request.body.size());
  }
  return out + "\r\n" + request.body;
}

ConnectionPtr Client::take_idle() {
  const auto now = net::Clock::now();
  std::erase_if(idle_, [now](const ConnectionPtr& kept) { return !kept->fresh(now); });
  if (idle_.empty()) return nullptr;
  ConnectionPtr connection = std::move(idle_.back());  // the warmest
  idle_.pop_back();
  return connection;
}

void Client::keep(ConnectionPtr connection) {
  if (idle_.size() >= limits::api::idle_connections) return;
  connection->rest(net::Clock::now());
  idle_.push_back(std::move(connection));
}

}  // namespace tpuwh::server::kube::client
