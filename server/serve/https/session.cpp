#include "server/serve/https/session.hpp"

#include "base/release.hpp"
#include "server/net/plain_stream.hpp"
#include "server/serve/https/body_pace.hpp"
#include "server/serve/https/limited_stream.hpp"
#include "server/serve/https/request_parser.hpp"
#include "server/tls/stream.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tpuwh::server::https {
namespace {

// The conversation on an open stream, TLS or not. Memory lives as long as the connection or
// the event loop does (Service), so that a steady client costs no allocation. A usual review has
// come whole, is held, answered and sent at once: each step is tried before the coroutine that
// waits for it is made.
template <class Stream>
class Conversation {
 public:
  Conversation(LimitedStream<Stream>& stream, Connection& connection, Service& service)
      : stream_(stream), connection_(connection), service_(service) {}

  // True if it ended with an answer of ours that said so, false if the peer left
  // or was cut off.
  net::Task<bool> run() {
    // Not `while (co_await …)`: GCC 12 lays out the frame wrongly and it traps.
    for (;;) {
      const bool go_on = co_await serve_request();
      if (!go_on) co_return said_close_;
      head_.give_back_memory();
      asked_before_ = true;
      const std::size_t answered = ++service_.answered;
      // A client that asks faster than this server answers would keep the event loop to itself.
      // While other connections are served, the next request may come, and is then read without a
      // wait.
      co_await net::let_others_run(stream_.executor());
      stream_.begin_turn();
      const bool was_alone = service_.answered == answered;
      if (!was_alone || has_unread()) continue;
      // No time has passed for it to come.
      give_back_buffer();
      const Wait wait = wait_for_request();
      const auto [error] = co_await stream_.wait_for_bytes(wait);
      connection_.resume();
      if (error) co_return false;
    }
  }

 private:
  using State = RequestParser::State;
  using Use = webhook::answer::LedgerStep::Use;
  using Pass = LargeReviews::Pass;
  static constexpr std::size_t usual_body = limits::usual_body_bytes + webhook::read::padding;

  // One request and its answer; false if it was the last.
  net::Task<bool> serve_request() {
    parser_.emplace(head_, body_);
    if (buffer_.size() == 0 && !read_now()) {
      const Wait wait = wait_for_request();
      const bool begun = co_await read_later(wait);
      if (!begun) co_return false;
    }
    State state = step();
    if (state == State::need_more) state = co_await read_header();
    if (state == State::need_more) co_return false;
    if (state == State::refused) co_return co_await refuse(parser_->refusal());

    const auto routed = route(head_, service_.port);
    if (const auto* refusal = std::get_if<Refusal>(&routed)) {
      co_return co_await refuse(*refusal);
    }
    const auto resource = std::get<Resource>(routed);
    if (is_validation(resource)) parser_->discard_excess();
    if (parser_->check_length() == State::refused) co_return co_await refuse(parser_->refusal());
    const bool whole = has_come_whole();
    if (!whole) {
      state = co_await read_body();
      give_back_buffer();
    }
    if (state == State::need_more) co_return false;
    if (state == State::refused) co_return co_await refuse(parser_->refusal());
    if (is_large()) {
      const bool begun = co_await begin_large_review(Pass::first);
      if (!begun) co_return co_await refuse(too_many_bodies());
    }
    std::size_t in_buffer = whole ? parser_->missing() : 0;
    const std::optional<Answered> answered =
        parser_->has_excess()
            ? service_.handlers.allow_unchecked(body_)
            : std::optional(service_.handlers.answer(resource, review(in_buffer)));
    if (!answered) co_return co_await refuse(too_large());
    const Answered& first = *answered;
    Reply reply = first.reply;
    if (first.ledger.use == Use::ask || first.ledger.use == Use::read_claims) {
      const std::optional<Reply> second = co_await answer_later(resource, first, in_buffer);
      if (!second) co_return co_await refuse(too_many_bodies());
      reply = *second;
      in_buffer = 0;  // answer_later() has moved the review to `body_`
    }
    if (first.ledger.use == Use::note)
      service_.places.note(first.ledger.request, first.ledger.place);
    flush_log_after_turn();
    const net::Sent sent = send_now(reply);
    leave_buffer(in_buffer);
    give_back_body();  // the peer may take its time to read the rest
    net::error_code error = sent.error;
    if (!error && sent.size < service_.out.size()) error = co_await send_rest(sent.size);
    co_return goes_on(error, reply);
  }

  // Returns whether the rest of the request is in the buffer. This is so for a usual review, whose
  // body is then read in the buffer, without a copy.
  bool has_come_whole() const {
    return !head_.chunked && !parser_->has_excess() && parser_->missing() <= buffer_.size();
  }

  // Returns the review: the first `in_buffer` bytes of the buffer, or `body_` if `in_buffer` is 0.
  webhook::read::Body review(std::size_t in_buffer) {
    if (in_buffer == 0) return webhook::read::Body(body_);
    buffer_.prepare(webhook::read::padding);
    return webhook::read::Body::padded(buffered().substr(0, in_buffer));
  }

  std::string_view buffered() const {
    const auto bytes = buffer_.cdata();
    return {static_cast<const char*>(bytes.data()), bytes.size()};
  }

  // Removes a review of `size` bytes, which was answered, from the buffer.
  void leave_buffer(std::size_t size) {
    buffer_.consume(size);
    give_back_buffer();
  }

  // Others may use the handlers, and the place of a large review, while the cluster is asked: each
  // further pass reads the review again. Nothing where there was no place for that in time.
  net::Task<std::optional<Reply>> answer_later(Resource resource, Answered next,
                                               std::size_t in_buffer) {
    if (in_buffer > 0) {
      const bool at_once = hold_body();
      if (!at_once) {
        const bool held = co_await wait_to_hold_body();
        if (!held) co_return std::nullopt;
      }
      body_ = review(in_buffer).bytes();
      // While this review waited for memory, others used the handlers.
      if (!at_once) next = service_.handlers.answer(resource, review(0));
      leave_buffer(in_buffer);
    }
    kube::places::ReadClaims claims;
    Learned learned;
    if (next.ledger.use == Use::read_claims) {
      std::vector<kube::places::OwnedClaim> unread = kube::places::owned(next.unread);
      end_large_review();  // what `unread` was a view of goes with it
      const WaitingReview waiting(service_.connections.load().waiting_bytes, unread.front().ns,
                                  body_.size());
      const bool patient = !next.shadow && waiting.may_wait();
      kube::places::ReadClaims read =
          co_await service_.claims.read(std::move(unread), patient, std::move(next.owner));
      claims = std::move(read);
      learned.claims = &claims;
      const bool begun = co_await begin_again();
      if (!begun) co_return std::nullopt;
      next = service_.handlers.answer(resource, review(0), learned);
    }
    if (next.ledger.use == Use::ask) {
      kube::places::OwnedPlaceRequest request(next.ledger.request);
      end_large_review();  // what the ledger's step views goes with it
      const WaitingReview waiting(service_.connections.load().waiting_bytes, request.ns,
                                  body_.size());
      if (!waiting.may_wait()) co_return std::nullopt;
      const net::TimePoint asked = net::Clock::now();
      const webhook::ledger::PlaceAnswer place = co_await service_.places.place(std::move(request));
      service_.metrics.place(place, net::Clock::now() - asked);
      learned.place = &place;
      const bool begun = co_await begin_again();
      if (!begun) co_return std::nullopt;
      next = service_.handlers.answer(resource, review(0), learned);
    }
    if (next.ledger.use == Use::note) service_.places.note(next.ledger.request, next.ledger.place);
    co_return next.reply;
  }

  net::Task<bool> begin_again() {
    if (!is_large()) co_return true;
    const bool begun = co_await begin_large_review(Pass::second);
    co_return begun;
  }

  // Behind all that is ready now: the lines of a turn's reviews are written together.
  void flush_log_after_turn() {
    if (!service_.log.holds_lines() || std::exchange(service_.flush_is_due, true)) return;
    boost::asio::post(stream_.executor(), [&service = service_] {
      service.flush_is_due = false;
      service.log.flush();
    });
  }

  // Gives the parser what has come.
  State step() {
    const auto taken = parser_->read(buffered());
    buffer_.consume(taken.used);
    // Only the size line of a chunk can fill the buffer, because a header has a lower limit and the
    // bytes of a body are taken at once.
    const bool full = buffer_.size() == limits::read_buffer_bytes;
    return full && taken.state == State::need_more ? parser_->refuse_long_line() : taken.state;
  }

  // Returns the limit for the first byte of a request. Between two requests a client may be idle.
  Wait wait_for_request() const {
    return asked_before_ ? Wait::begin(Waiting::next_request, limits::idle)
                         : Wait::begin(Waiting::first_request, limits::header);
  }

  // Feeds the parser until it has something to say; need_more if the peer left.
  net::Task<State> read_header() {
    const Wait wait = Wait::begin(Waiting::header, limits::header);  // all of it
    for (;;) {
      const bool more = co_await read_some(wait);
      if (!more) co_return State::need_more;
      const State state = step();
      if (state != State::need_more) co_return state;
    }
  }

  // Reads the body into `body_`. The body must come at the rate of BodyPace, and waits for the
  // memory that it takes. Returns need_more if the client closed the connection before its end.
  net::Task<State> read_body() {
    // A client that has sent some of the body does not wait for "100 Continue".
    if (head_.expects_continue && head_.http_1_1 && buffer_.size() == 0) {
      const net::error_code error = co_await say_continue();
      if (error) co_return State::need_more;
    }
    const net::TimePoint until = net::Clock::now() + body_limit();
    BodyPace pace;
    for (;;) {
      if (!hold_body()) {
        const bool held = co_await wait_to_hold_body();
        if (!held) co_return parser_->refuse(too_many_bodies());
      }
      const State state = step();
      if (state != State::need_more) co_return state;
      const net::TimePoint begun = net::Clock::now();
      const auto rest = std::chrono::duration_cast<limits::Duration>(until - begun);
      if (rest <= limits::Duration::zero()) {
        if (!read_now()) co_return parser_->refuse(too_late());
        continue;
      }
      const Wait wait = Wait::begin(Waiting::body, std::min(pace.left(), rest));
      const std::size_t before = buffer_.size() + body_.size();
      const bool more = co_await read_some(wait);
      if (!more) co_return State::need_more;
      pace.on_bytes(net::Clock::now() - begun, buffer_.size() + body_.size() - before);
    }
  }

  // False if the peer left.
  net::Task<bool> read_some(const Wait& wait) {
    if (read_now()) co_return true;
    co_return co_await read_later(wait);
  }

  // False if nothing has come.
  bool read_now() {
    if (const std::size_t room = room_in_body(); room > 0) {
      const std::size_t before = body_.size();
      body_.resize(before + room);
      const std::size_t size = stream_.read_now(std::span(body_).subspan(before));
      body_.resize(before + size);
      return size > 0;
    }
    hold_buffer();
    const auto room = buffer_.prepare(limits::read_buffer_bytes - buffer_.size());
    const std::size_t size = stream_.read_now({static_cast<char*>(room.data()), room.size()});
    buffer_.commit(size);
    return size > 0;
  }

  // Returns how many bytes can be read directly into `body_`, without the buffer: those that are
  // missing of a body of known length, as far as memory is held for them.
  std::size_t room_in_body() const {
    const std::size_t missing = parser_->missing();
    if (missing == 0 || buffer_.size() > 0) return 0;
    const std::size_t held = connection_.body().held() - webhook::read::padding - body_.size();
    return std::min({held, missing, limits::read_buffer_bytes});
  }

  net::Task<bool> read_later(const Wait& wait) {
    for (;;) {
      give_back_buffer();
      const net::error_code error = co_await stream_.wait_to_read(wait);
      connection_.resume();
      if (error) co_return false;
      if (read_now()) co_return true;
    }
  }

  void hold_buffer() {
    if (buffer_.capacity() > 0) return;
    buffer_ = std::move(service_.read_buffer);
    buffer_.reserve(limits::read_buffer_bytes);
  }

  // Gives the buffer back to the event loop if it is empty. Therefore hundreds of connections that
  // wait for their clients, for memory or for the ledger do not hold a buffer each.
  void give_back_buffer() {
    if (buffer_.size() == 0 && buffer_.capacity() > 0) service_.read_buffer = std::move(buffer_);
  }

  // Returns whether bytes have come that were not parsed.
  bool has_unread() const { return buffer_.size() > 0 || stream_.has_unread(); }

  // Sends a refusal and closes the connection, because only answers to reviews keep their
  // connections.
  net::Task<bool> refuse(Refusal refusal) {
    give_back_body();  // the peer may take its time to read why
    service_.log.debug("refused",
                       {{"status", std::uint64_t{refusal.status}}, {"why", refusal.message}});
    service_.metrics.refused(refusal.status);
    const std::string body = status_object(refusal.status, refusal.message);
    Reply reply{.status = refusal.status,
                .body = body,
                .allow = refusal.allow,
                .retry_after = refusal.retry_after,
                .close = true};
    const net::Sent sent = send_now(reply);
    net::error_code error = sent.error;
    if (!error && sent.size < service_.out.size()) error = co_await send_rest(sent.size);
    co_return goes_on(error, reply);
  }

  // Sends as much of the answer as can be sent without waiting.
  net::Sent send_now(Reply& reply) {
    if (!head_.keep_alive || !head_.http_1_1 || service_.health.draining()) reply.close = true;
    if (reply.close) {
      connection_.begin_answer();
    } else {
      reply.close = connection_.begin_review_answer();
    }
    service_.out.clear();
    write_reply(service_.out, reply, service_.date.text(), head_.method == Method::head);
    return stream_.write_now(service_.out);
  }

  // Between a header that asks for it and its body.
  net::Task<net::error_code> say_continue() {
    const net::Sent sent = stream_.write_now(continue_line);
    if (sent.error || sent.size == continue_line.size()) co_return sent.error;
    const Wait wait = Wait::begin(Waiting::write, limits::write);
    const net::error_code error = co_await stream_.write(continue_line.substr(sent.size), wait);
    connection_.resume();
    co_return error;
  }

  // Sends the bytes of the answer behind the first `sent`. They are copied, because the event loop
  // uses `service_.out` for other answers meanwhile.
  net::Task<net::error_code> send_rest(std::size_t sent) {
    const std::string rest(service_.out, sent);
    if (!connection_.unread().take(rest.size(), limits::usual_bodies_bytes))
      co_return boost::asio::error::no_buffer_space;
    const Wait wait = Wait::begin(Waiting::write, limits::write);
    const net::error_code error = co_await stream_.write(rest, wait);
    connection_.resume();
    connection_.unread().reset();
    co_return error;
  }

  // Whether the connection does, after an answer.
  bool goes_on(const net::error_code& error, const Reply& reply) {
    said_close_ = !error && reply.close;
    return !error && !reply.close;
  }

  // Returns the longest time that a body may take: the caller's own timeout, or limits::body.
  limits::Duration body_limit() const {
    return std::min(timeout_of(head_.target).value_or(limits::body), limits::body);
  }

  // Returns the memory that the whole body takes: by its Content-Length, else for the largest body.
  std::size_t whole_body() const {
    const auto length = head_.content_length.value_or(limits::body_bytes);
    return webhook::read::padding +
           (length > limits::body_bytes ? limits::review_start_bytes : std::size_t{length});
  }

  // Room for what has come of the body. False if there is no memory for it now.
  bool hold_body() {
    Share& share = connection_.body();
    const std::size_t held = share.held(), whole = whole_body();
    const std::size_t needed =
        std::min(body_.size() + buffer_.size() + webhook::read::padding, whole);
    if (needed <= held) return true;
    const bool small = whole <= limits::whole_body_bytes + webhook::read::padding;
    if (small && share.take(whole - held, limits::held_bytes / 2)) {
      body_.reserve(whole);
      return true;
    }
    const std::size_t wanted =
        std::min(std::max({needed, 2 * held, limits::first_body_bytes}), whole);
    const std::size_t left_to_others = wanted > usual_body ? limits::usual_bodies_bytes : 0;
    if (!share.take(wanted - held, left_to_others)) return false;
    // The whole block can be reserved although only the bytes that have arrived are counted,
    // because the kernel provides a large block page by page as the block is used
    // (return_large_blocks() in server/serve/app).
    body_.reserve(small ? wanted : whole);
    return true;
  }

  // False if there is none, though others were made to give theirs back.
  net::Task<bool> wait_to_hold_body() {
    const net::TimePoint until = net::Clock::now() + limits::memory_wait;
    do {
      const net::TimePoint now = net::Clock::now();
      if (now >= until) co_return false;
      // The peer waits for us: neither the sweep nor shedding ends it for that.
      service_.connections.make_memory(now);
      co_await pause(limits::memory_poll);
    } while (!hold_body());
    co_return true;
  }

  bool is_large() const { return body_.size() > limits::large_review_bytes; }

  // False if its turn has not come while its caller has patience.
  net::Task<bool> begin_large_review(Pass pass) {
    return connection_.large_review().take(stream_.executor(), pass, body_limit(),
                                           namespace_of(body_));
  }

  // The place goes to the next one, and what the review was read into is freed.
  void end_large_review() {
    if (!is_large()) return;
    service_.handlers.give_back_memory();
    connection_.large_review().give_back();
  }

  // Always of a named length.
  net::Task<void> pause(limits::Duration time) {
    net::Timer timer(stream_.executor(), time);
    co_await timer.async_wait(net::as_result);
  }

  void give_back_body() {
    end_large_review();
    connection_.body().reset();
    base::release(body_);
  }

  static Refusal too_many_bodies() {
    return {.status = 503, .message = "too many large reviews at once", .retry_after = 1};
  }

  static Refusal too_large() {
    return {
        .status = 413,
        .message = "the review is too large to be read, and its first bytes do not say its uid"};
  }

  static Refusal too_late() {
    return {.status = 408, .message = "the body did not arrive before the caller's timeout"};
  }

  LimitedStream<Stream>& stream_;
  Connection& connection_;
  Service& service_;
  boost::beast::flat_buffer buffer_;
  RequestHead head_;
  std::string body_;
  std::optional<RequestParser> parser_;
  bool asked_before_ = false;
  bool said_close_ = false;
};

// By itself: its memory is gone before the peer is waited for at the end.
template <class Stream>
net::Task<bool> run_conversation(LimitedStream<Stream>& stream, Connection& connection,
                                 Service& service) {
  Conversation<Stream> conversation(stream, connection, service);
  co_return co_await conversation.run();
}

template <class Stream>
net::Task<void> converse(LimitedStream<Stream>& stream, Connection& connection, Service& service) {
  const bool said_close = co_await run_conversation(stream, connection, service);
  if (!said_close) co_return;
  stream.say_goodbye();
  const Wait wait = Wait::begin(Waiting::linger, limits::linger);
  co_await stream.throw_away(wait);
}

void account_failure(const net::error_code& error, Service& service) {
  service.metrics.handshake_failed();
  if (tls::says_distrust(error) && service.distrust.allows(net::Clock::now())) {
    service.log.warn("a client rejected our certificate; check the caBundle",
                     {{"error", error.message()}});
  }
  if (tls::says_stranger(error) && service.strangers.allows(net::Clock::now())) {
    service.log.warn(
        "refused a caller that showed no certificate of --tls-client-ca with a name of "
        "--tls-client-name",
        {{"error", error.message()}});
  }
  service.log.debug("handshake failed", {{"error", error.message()}});
}

net::Task<void> open_and_converse(tls::Stream& stream, Service& service) {
  Connection connection(service.connections, stream.socket());
  LimitedStream<tls::Stream> limited(stream, connection);
  const Wait wait = Wait::begin(Waiting::handshake, limits::handshake);
  const net::error_code error = co_await limited.handshake(wait);
  connection.resume();
  connection.handshake_done();
  if (error) {
    account_failure(error, service);
    co_return;
  }
  co_await converse(limited, connection, service);
}

net::Task<void> open_and_converse(net::PlainStream& stream, Service& service) {
  Connection connection(service.connections, stream.socket());
  LimitedStream<net::PlainStream> limited(stream, connection);
  connection.resume();
  connection.handshake_done();
  co_await converse(limited, connection, service);
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
