#include "server/limits/limits.hpp"
#include "server/serve/https/reply.hpp"
#include "server/serve/https/request_parser.hpp"
#include "server/serve/https/router.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/pieces.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/own_mapping.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace tpuwh::fuzz {

namespace {

namespace limits = server::limits;
using namespace server::https;

void require_refusal(const Refusal& refusal) {
  require(refusal.status >= 400 && refusal.status < 600,
          "status " + std::to_string(refusal.status));
  require_sentence(refusal.message);
  const std::string body = status_object(refusal.status, refusal.message);
  std::string answer;
  write_reply(answer, {.status = refusal.status, .body = body, .allow = refusal.allow},
              "Wed, 25 Nov 2026 00:00:00 GMT");
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const char c = answer[i];
    require((c >= ' ' && c <= '~') || c == '\n' || (c == '\r' && answer[i + 1] == '\n'),
            "a control character in an answer");
  }
}

// What was made of a connection's bytes: of each request a line, at last how it ended.
struct Talk {
  std::vector<std::string> requests;
  std::string end;
  std::size_t used = 0;  // bytes of the requests that were taken

  bool operator==(const Talk&) const = default;
};

// A connection as server/serve/https/session.cpp has it, without the socket: one head, one body,
// one buffer for all its requests.
class Reader {
 public:
  // `step`: bytes that come at once.
  Reader(std::string_view bytes, std::size_t step) : coming_(bytes), step_(step) {}

  Talk read_all() {
    while (read_request()) {
    }
    return std::move(talk_);
  }

  std::size_t calls() const { return calls_; }

 private:
  using State = RequestParser::State;

  bool end(std::string_view how) {
    talk_.end = how;
    return false;
  }

  bool refuse(const RequestParser& parser) {
    require_refusal(parser.refusal());
    return end("refused");
  }

  // False if it was the last.
  bool read_request() {
    RequestParser parser(head_, body_);
    State state = read_on(parser);
    if (state == State::need_more) return end("more is to come");
    if (state == State::refused) return refuse(parser);
    std::string line = head_line();
    for (const Port port : {Port::webhook, Port::health, Port::probes, Port::metrics})
      line += routed(port);
    const auto here = route(head_, Port::webhook);
    if (std::holds_alternative<Refusal>(here) &&
        (head_.chunked || head_.content_length.value_or(0) > 0)) {
      talk_.requests.push_back(line);
      return end("not routed");
    }
    state = read_on(parser);
    if (state == State::need_more) return end("more is to come");
    if (state == State::refused) return refuse(parser);
    require(state == State::complete, "a body that ends with a head");
    require(body_.size() <= limits::body_bytes, "a body beyond the limit");
    if (head_.content_length)
      require(body_.size() == *head_.content_length, "a body of another length");
    talk_.requests.push_back(line + ' ' + body_);
    talk_.used = taken_;
    return head_.keep_alive || end("the last");
  }

  std::string head_line() const {
    const auto timeout = timeout_of(head_.target);
    return head_.target + ' ' + head_.content_type + ' ' + (head_.http_1_1 ? "1.1" : "1.0") +
           (head_.keep_alive ? " keep" : " close") + (head_.chunked ? " chunked" : "") +
           (head_.expects_continue ? " expects" : "") +
           std::to_string(head_.content_length.value_or(0)) + ' ' +
           std::to_string(timeout ? timeout->count() : -1);
  }

  std::string routed(Port port) const {
    const auto where = route(head_, port);
    if (const auto* resource = std::get_if<Resource>(&where))
      return " to " + std::to_string(static_cast<int>(*resource));
    const auto& refusal = std::get<Refusal>(where);
    require_refusal(refusal);
    return ' ' + std::to_string(refusal.status);
  }

  // Until the parser has something to say, or no more comes.
  State read_on(RequestParser& parser) {
    for (;;) {
      const State state = give(parser);
      if (state != State::need_more) return state;
      if (buffer_.size() == limits::read_buffer_bytes) return parser.refuse_long_line();
      if (!receive()) return State::need_more;
    }
  }

  State give(RequestParser& parser) {
    ++calls_;
    const test::OwnMapping mapped(buffer_);
    const auto taken = parser.read(mapped.text());
    require(taken.used <= buffer_.size(), "more is used than there was");
    buffer_.erase(0, taken.used);
    taken_ += taken.used;
    return taken.state;
  }

  bool receive() {
    const std::size_t room = limits::read_buffer_bytes - buffer_.size();
    const std::size_t size = std::min({room, step_, coming_.size()});
    buffer_ += coming_.substr(0, size);
    coming_.remove_prefix(size);
    return size > 0;
  }

  std::string_view coming_;
  const std::size_t step_;
  std::string buffer_;
  RequestHead head_;
  std::string body_;
  Talk talk_;
  std::size_t taken_ = 0;
  std::size_t calls_ = 0;
};

Talk talk(std::string_view bytes, std::size_t step) {
  Reader reader(bytes, step);
  Talk talk = reader.read_all();
  require_few_calls(reader.calls(), bytes.size(), step, talk.requests.size());
  return talk;
}

std::string to_text(const Talk& talk) {
  std::string out;
  for (const std::string& line : talk.requests) out += line + '\n';
  return out + talk.end + " after " + std::to_string(talk.used);
}

// Where a fault is seen may depend on the pieces as long as the header goes on: "\r\n\rX" is
// refused in one piece, and waited behind in single bytes. Whether it is one may not.
bool is_one_sooner(const Talk& a, const Talk& b) {
  constexpr std::string_view more = "more is to come", refused = "refused";
  return a.requests == b.requests &&
         ((a.end == more && b.end == refused) || (a.end == refused && b.end == more));
}

// The read in the sizes in which a socket brings it.
std::size_t read_requests_as_they_come(std::string_view bytes) {
  constexpr std::size_t segment = 1460;
  const std::size_t before = heap_bytes();
  Reader reader(bytes, segment);
  const Talk talk = reader.read_all();
  return heap_bytes() - std::min(before, heap_bytes());
}

}  // namespace

void http(std::string_view bytes) {
  const Talk whole = talk(bytes, limits::read_buffer_bytes);
  for_each_step(bytes.size(), [&](std::size_t step) {
    Talk pieces = talk(bytes, step), other = whole;
    if (is_one_sooner(pieces, whole)) {
      const std::string ended = std::string(bytes) + "\r\n\r\n";
      pieces = talk(ended, step);
      other = talk(ended, limits::read_buffer_bytes);
    }
    require(pieces == other, "in pieces of " + std::to_string(step) + ": " + to_text(pieces) +
                                 "\nas it comes: " + to_text(other));
  });
  for (const std::size_t size : {limits::header_bytes / 5, std::size_t{24} << 10})
    require_linear(bytes, size, read_requests_as_they_come);
}

}  // namespace tpuwh::fuzz
