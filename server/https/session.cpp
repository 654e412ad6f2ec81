#include "server/https/session.hpp"

#include "server/https/request_parser.hpp"
#include "server/net/plain_stream.hpp"
#include "server/tls/stream.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace tpuwh::server::https {
namespace {

// The conversation on an open stream, TLS or not. Buffers and strings live as long
// as the connection, so that a steady client costs no allocation.
template <class Stream>
class Conversation {
 public:
  Conversation(Stream& stream, Connection& connection, Service& service)
      : stream_(stream), connection_(connection), service_(service) {
    buffer_.reserve(limits::read_buffer_bytes);
  }

  // True if it ended with an answer of ours that said so, false if the peer left
  // or was cut off.
  net::Task<bool> run() {
    connection_.wait(Waiting::first_request, limits::header);
    // Not `while (co_await …)`: GCC 12 lays out the frame wrongly and it traps.
    for (;;) {
      const bool go_on = co_await serve_request();
      if (!go_on) co_return said_close_;
      connection_.wait(Waiting::next_request, limits::idle);
    }
  }

 private:
  using State = RequestParser::State;

  // One request and its answer; false if it was the last.
  net::Task<bool> serve_request() {
    if (buffer_.size() == 0) {
      const bool begun = co_await read_some();
      if (!begun) co_return false;
    }
    connection_.wait(Waiting::header, limits::header);
    RequestParser parser(head_, body_);
    State state = co_await read_on(parser);
    if (state == State::need_more) co_return false;
    if (state == State::refused) co_return co_await refuse(parser.refusal(), true);

    const auto routed = route(head_, service_.port);
    if (const auto* refusal = std::get_if<Refusal>(&routed)) {
      co_return co_await refuse(*refusal, head_.has_body());
    }
    if (!reserve_large_body()) co_return co_await refuse(too_many_bodies(), true);
    connection_.wait(Waiting::body, body_limit());
    if (wants_continue()) co_await stream_.write(continue_line);  // failed: so will reading
    state = co_await read_on(parser);
    if (state == State::need_more) co_return false;
    if (state == State::refused) co_return co_await refuse(parser.refusal(), true);

    Reply reply = co_await answer(std::get<Resource>(routed));
    const bool go_on = co_await send(reply);
    give_back_large_body();
    co_return go_on;
  }

  // Others may use the handlers while the ledger is asked: the second pass reads the review
  // again.
  net::Task<Reply> answer(Resource resource) {
    using Use = webhook::answer::LedgerStep::Use;
    const Answered first = service_.handlers.answer(resource, body_);
    if (first.ledger.use == Use::note)
      service_.places.note(first.ledger.request, first.ledger.place);
    if (first.ledger.use != Use::ask) co_return first.reply;
    places::OwnedPlaceRequest request(first.ledger.request);
    const net::TimePoint asked = net::Clock::now();
    const webhook::ledger::PlaceAnswer place = co_await service_.places.place(std::move(request));
    service_.metrics.place(place, net::Clock::now() - asked);
    const Answered second = service_.handlers.answer(resource, body_, &place);
    co_return second.reply;
  }

  // Feeds the parser until it has something to say; need_more if the peer left.
  net::Task<State> read_on(RequestParser& parser) {
    for (;;) {
      const auto bytes = buffer_.cdata();
      const auto step = parser.read({static_cast<const char*>(bytes.data()), bytes.size()});
      buffer_.consume(step.used);
      if (step.state != State::need_more) co_return step.state;
      // Only the size line of a chunk can fill the buffer: headers have their own,
      // lower limit, and body bytes are taken at once.
      if (buffer_.size() == buffer_.capacity()) co_return parser.refuse_long_line();
      if (!reserve_large_body()) co_return parser.refuse(too_many_bodies());
      const bool more = co_await read_some();
      if (!more) co_return State::need_more;
    }
  }

  net::Task<bool> read_some() {
    const auto room = buffer_.prepare(buffer_.capacity() - buffer_.size());
    const std::span bytes(static_cast<char*>(room.data()), room.size());
    const auto received = co_await stream_.read_some(bytes);
    buffer_.commit(received.size);
    co_return !received.error;
  }

  // `close`: bytes of the request are left that must not be read as the next one.
  net::Task<bool> refuse(Refusal refusal, bool close) {
    service_.log.debug("refused",
                       {{"status", std::uint64_t{refusal.status}}, {"why", refusal.message}});
    service_.metrics.refused(refusal.status);
    const std::string body = status_object(refusal.status, refusal.message);
    Reply reply{.status = refusal.status,
                .body = body,
                .allow = refusal.allow,
                .retry_after = refusal.retry_after,
                .close = close};
    co_return co_await send(reply);
  }

  // False if the connection ends with this answer.
  net::Task<bool> send(Reply& reply) {
    if (!head_.keep_alive || !head_.http_1_1) reply.close = true;
    if (service_.health.draining() || connection_.retired()) reply.close = true;
    out_.clear();
    write_reply(out_, reply, head_.method == Method::head);
    connection_.wait(Waiting::write, limits::write);
    const net::error_code error = co_await stream_.write(out_);
    said_close_ = !error && reply.close;
    co_return !error && !reply.close;
  }

  // What the caller still has time for, at most.
  limits::Duration body_limit() const {
    return std::min(timeout_of(head_.target).value_or(limits::body), limits::body);
  }

  // A client that has sent some of the body does not wait to be told to.
  bool wants_continue() const {
    return head_.expects_continue && head_.http_1_1 && head_.has_body() && buffer_.size() == 0;
  }

  // Counts a body beyond the usual size, once it is known to be one. The length of
  // a chunked body is not: it counts as the largest.
  bool reserve_large_body() {
    auto& share = connection_.large_body();
    const auto size = std::max<std::uint64_t>(head_.content_length.value_or(0), body_.size());
    if (size <= limits::kept_body_bytes || share.held() > 0) return true;
    return share.take(head_.chunked ? limits::body_bytes : size);
  }

  void give_back_large_body() {
    if (body_.capacity() <= limits::kept_body_bytes + webhook::read::padding) return;
    body_ = std::string();
    connection_.large_body().reset();
  }

  static Refusal too_many_bodies() {
    return {.status = 503, .message = "too many large reviews at once", .retry_after = 1};
  }

  Stream& stream_;
  Connection& connection_;
  Service& service_;
  boost::beast::flat_buffer buffer_;
  RequestHead head_;
  std::string body_;
  std::string out_;
  bool said_close_ = false;
};

// Reads and forgets until the peer closes or the sweep does.
net::Task<void> throw_away(net::Socket& socket) {
  net::error_code ignored;
  socket.shutdown(net::Socket::shutdown_send, ignored);
  std::array<char, 4096> scrap;
  for (;;) {
    const auto [error, size] =
        co_await socket.async_read_some(boost::asio::buffer(scrap), net::as_result);
    if (error) co_return;
  }
}

template <class Stream>
net::Task<void> converse(Stream& stream, Connection& connection, Service& service) {
  Conversation conversation(stream, connection, service);
  const bool said_close = co_await conversation.run();
  if (!said_close) co_return;
  connection.wait(Waiting::linger, limits::linger);
  stream.say_goodbye();
  co_await throw_away(stream.socket());
}

void account_failure(const net::error_code& error, Service& service) {
  service.metrics.handshake_failed();
  if (tls::says_distrust(error) && service.distrust.allows(net::Clock::now())) {
    service.log.warn("a caller does not trust our certificate; is this its CA?",
                     {{"error", error.message()}});
  }
  service.log.debug("handshake failed", {{"error", error.message()}});
}

net::Task<void> open_and_converse(tls::Stream& stream, Service& service) {
  Connection connection(service.connections, stream.socket());
  const net::error_code error = co_await stream.handshake();
  connection.handshake_done();
  if (error) {
    account_failure(error, service);
    co_return;
  }
  co_await converse(stream, connection, service);
}

net::Task<void> open_and_converse(net::PlainStream& stream, Service& service) {
  Connection connection(service.connections, stream.socket());
  connection.handshake_done();
  co_await converse(stream, connection, service);
}

// The one catch of a session: whatever happened, it ends this connection only.
template <class Stream>
net::Task<void> converse_safely(Stream& stream, Service& service) {
  try {
    // Cancelled operations say so by their error, like all others.
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    co_await open_and_converse(stream, service);
  } catch (const std::exception& bug) {
    service.log.error("session ended by an exception", {{"error", bug.what()}});
  }
}

}  // namespace

net::Task<void> serve_tls(net::Socket socket, tls::ContextPtr context, Service& service) {
  tls::Stream stream(std::move(socket), std::move(context));
  co_await converse_safely(stream, service);
}

net::Task<void> serve_plain(net::Socket socket, Service& service) {
  net::PlainStream stream(std::move(socket));
  co_await converse_safely(stream, service);
}

}  // namespace tpuwh::server::https
