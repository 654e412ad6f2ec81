#include "server/kube/client/response_parser.hpp"
#include "server/limits/limits.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/pieces.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/own_mapping.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tpuwh::fuzz {

namespace {

namespace limits = server::limits;
using server::kube::client::ResponseHead;
using server::kube::client::ResponseParser;

// A body is cut off here, as that of an answer which is no stream.
constexpr std::size_t most_body = 4096;

// Of each answer a line, at last how it ended.
using Said = std::vector<std::string>;

// A kept connection as Client::send_and_read() reads it, without the socket.
class Answers {
 public:
  // `lends`: each call's bytes are a copy that is gone afterwards; else its own, as they stand, so
  // that what a call takes is the parser's time alone.
  Answers(std::string_view bytes, std::size_t step, std::size_t most, bool lends)
      : coming_(bytes), step_(step), most_(most), lends_(lends) {}

  Said read_all() {
    while (read_one()) {
    }
    return std::move(said_);
  }

  std::size_t calls() const { return calls_; }

 private:
  using State = ResponseParser::State;

  bool end(std::string how) {
    said_.push_back(std::move(how));
    return false;
  }

  // False if it was the last.
  bool read_one() {
    std::string body;
    ResponseParser parser([&](std::string_view bytes) {
      body += bytes;
      return body.size() <= most_;
    });
    for (;;) {
      const State state = give(parser);
      if (state == State::head) continue;
      if (state == State::stopped) return end(line(parser.head(), body) + " stopped");
      if (state == State::failed) return fail(parser);
      if (state == State::complete) {
        said_.push_back(line(parser.head(), body));
        return parser.keeps_alive() || end("the last");
      }
      if (receive()) continue;
      if (!parser.begun()) return end("silent");
      if (parser.read_end() != State::complete) return fail(parser);
      return end(line(parser.head(), body) + " until it closed");
    }
  }

  // How much was read before it failed is left to the pieces.
  bool fail(const ResponseParser& parser) {
    require_sentence(parser.error());
    return end("failed");
  }

  std::string line(const ResponseHead& head, const std::string& body) const {
    const auto after = head.retry_after;
    return std::to_string(head.status) + ' ' + head.content_type + ' ' +
           std::to_string(after ? after->count() : -1) + ' ' + body.substr(0, most_);
  }

  State give(ResponseParser& parser) {
    ++calls_;
    const auto rest = std::string_view(buffer_).substr(used_);
    const auto progress = lends_ ? parser.read(test::OwnMapping(rest).text()) : parser.read(rest);
    require(progress.used <= rest.size(), "more is used than there was");
    used_ += progress.used;
    return progress.state;
  }

  bool receive() {
    buffer_.erase(0, used_);
    used_ = 0;
    const std::size_t size = std::min(step_, coming_.size());
    buffer_ += coming_.substr(0, size);
    coming_.remove_prefix(size);
    return size > 0;
  }

  std::string_view coming_;
  const std::size_t step_, most_;
  const bool lends_;
  std::string buffer_;
  std::size_t used_ = 0;  // bytes of it that are read
  Said said_;
  std::size_t calls_ = 0;
};

Said read(std::string_view bytes, std::size_t step) {
  Answers answers(bytes, step, most_body, true);
  Said said = answers.read_all();
  require_few_calls(answers.calls(), bytes.size(), step, said.size());
  return said;
}

std::string to_text(const Said& said) {
  std::string out;
  for (const std::string& line : said) out += line + '\n';
  return out;
}

std::size_t read_answers_as_they_come(std::string_view bytes) {
  const std::size_t before = heap_bytes();
  Answers answers(bytes, limits::api::read_bytes, bytes.size(), false);
  const Said said = answers.read_all();
  return heap_bytes() - std::min(before, heap_bytes());
}

}  // namespace

void http_response(std::string_view bytes) {
  const Said whole = read(bytes, limits::api::read_bytes);
  for_each_step(bytes.size(), [&](std::size_t step) {
    const Said pieces = read(bytes, step);
    require(pieces == whole, "in pieces of " + std::to_string(step) + ":\n" + to_text(pieces) +
                                 "as it comes:\n" + to_text(whole));
  });
  for (const std::size_t size : {std::size_t{3} << 10, std::size_t{24} << 10})
    require_linear(bytes, size, read_answers_as_they_come);
}

}  // namespace tpuwh::fuzz
