// Bytes of an HTTP/1.1 request in, a RequestHead and a body out. No socket.
//
// Beast's parser does the grammar; what it lets through and a server must not
// (docs/facts.md#beast-framing) is refused here. Anything that could make us and a
// proxy disagree about where a request ends is a refusal, after which the
// connection must be closed:
//
//   any Transfer-Encoding but exactly "chunked"     501
//   the same in HTTP/1.0, or named twice            400
//   Content-Length twice or as a list               400
//   Host missing (HTTP/1.1), twice, or malformed    400
//   Content-Type twice                              400
//   a target with bytes beyond ASCII                400
//   a field continued on the next line, of the
//   header or of a trailer                          400
//   header larger than limits::header_bytes, or
//   more than limits::header_fields fields          431
//   body larger than limits::body_bytes             413, unless discard_excess() was called
//   a version that is not HTTP/1.0 or HTTP/1.1      505
//   whatever Beast refuses                          400
//
// Ignored: Upgrade, chunk extensions, trailer fields, one empty line before the request.
#pragma once

#include "server/limits/limits.hpp"
#include "server/serve/https/request.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace tpuwh::server::https {

// One request; not reusable. Allocates nothing beyond the strings of its outputs.
class RequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  // `head` is complete after State::head, `body` after State::complete; both
  // outlive the parser.
  RequestParser(RequestHead& head, std::string& body);

  enum class State {
    need_more,  // everything given was used or is kept for the next call
    head,       // the header has just ended; call again for the body
    complete,   // the request has ended; what was not used belongs to the next
    refused,    // see refusal()
  };
  struct Step {
    State state;
    std::size_t used;  // bytes of `bytes` that must not be given again
  };

  // Continues with unused bytes of the last call and new ones behind them.
  Step read(std::string_view bytes);

  // Accepts a body larger than limits::body_bytes, up to limits::discarded_bytes, and keeps its
  // first limits::review_start_bytes. Must be called between State::head and check_length().
  void discard_excess() { most_body_ = limits::discarded_bytes; }
  // Refuses a Content-Length that is too large. Otherwise returns State::need_more.
  State check_length();
  // Returns whether the body is larger than limits::body_bytes, as far as its size is known.
  bool has_excess() const { return seen_body_ > limits::body_bytes; }

  // Returns how many bytes of the body were not received yet. Returns 0 if the header has no
  // Content-Length, or if the body is larger than limits::body_bytes. The caller may append up to
  // that many bytes to `body` directly, and must then call read().
  std::size_t missing() const;

  // The reader's own reasons to end the request. Both return State::refused.
  State refuse(Refusal refusal);
  State refuse_long_line();  // its buffer is full and nothing can be taken from it

  const Refusal& refusal() const { return refusal_; }

 private:
  using string_view = boost::beast::string_view;
  using field = boost::beast::http::field;
  using verb = boost::beast::http::verb;
  using error_code = boost::beast::error_code;

  void on_request_impl(verb method, string_view method_text, string_view target, int version,
                       error_code& ec) override;
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(field name, string_view name_text, string_view value, error_code& ec) override;
  void on_header_impl(error_code& ec) override;
  void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code& ec) override;
  void on_chunk_header_impl(std::uint64_t size, string_view extension, error_code& ec) override;
  std::size_t on_chunk_body_impl(std::uint64_t left, string_view bytes, error_code& ec) override;
  void on_finish_impl(error_code&) override {}

  Step read_head(std::string_view bytes);
  Step read_empty_line(std::string_view bytes);
  Step read_body(std::string_view bytes);
  bool has_known_length() const;
  void take_transfer_encoding(std::string_view value);
  void take_host(std::string_view value);
  void take_content_type(std::string_view value);
  void take_length(std::string_view value);
  void check_head();
  bool see_body(std::uint64_t all);
  void refuse(unsigned status, std::string message);
  void refuse(const error_code& ec);
  void refuse_version(std::string_view rest);
  bool refused() const { return !refusal_.message.empty(); }

  RequestHead& head_;
  std::string& body_;
  Refusal refusal_;
  std::uint64_t most_body_ = limits::body_bytes;
  std::uint64_t seen_body_ = 0;  // Content-Length, or the bytes of all chunks up to the current one
  std::size_t header_bytes_ = 0;
  std::size_t fields_ = 0;
  const char* trailer_ = nullptr;  // in what the present call was given, behind the last chunk
  unsigned hosts_ = 0;
  unsigned content_types_ = 0;
  unsigned lengths_ = 0;
  unsigned transfer_encodings_ = 0;
};

}  // namespace tpuwh::server::https
