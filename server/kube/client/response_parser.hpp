// Bytes of an HTTP/1.1 response in, its head and the pieces of its body out. No socket.
//
// Beast's parser does the grammar. A body may be as long as it likes: who takes its pieces
// has the limit.
#pragma once

#include "server/kube/client/response.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::kube::client {

// The text of a Warning field's value, `299 - "text"`: as the API server writes them. Nothing for
// another code, or for what is no warning.
std::optional<std::string> warning_text(std::string_view field);

// One response; not reusable.
class ResponseParser final : private boost::beast::http::basic_parser<false> {
 public:
  // `on_body` gets the body's pieces while read() runs; false ends the response there.
  using OnBody = std::function<bool(std::string_view bytes)>;
  explicit ResponseParser(OnBody on_body);

  enum class State {
    need_more,  // everything given was used or is to be given again with more behind it
    head,       // the head has just ended; call again for the body
    complete,
    stopped,  // on_body said so
    failed,   // no HTTP: see error()
  };
  struct Progress {
    State state;
    std::size_t used;  // bytes that must not be given again
  };
  Progress read(std::string_view bytes);
  // The peer has closed: complete if that is how this response ends.
  State read_end();

  const ResponseHead& head() const { return head_; }
  const std::string& error() const { return error_; }
  // Whether any byte of the response was seen.
  bool begun() const { return got_some(); }
  // Whether the connection may be used for another request, once it is complete.
  bool keeps_alive() const { return keep_alive(); }

 private:
  using string_view = boost::beast::string_view;
  using field = boost::beast::http::field;
  using verb = boost::beast::http::verb;
  using error_code = boost::beast::error_code;

  void on_request_impl(verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override;
  void on_field_impl(field name, string_view, string_view value, error_code&) override;
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code& ec) override;
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t left, string_view bytes, error_code& ec) override;
  void on_finish_impl(error_code&) override {}

  State after(const error_code& ec);

  OnBody on_body_;
  ResponseHead head_;
  std::string error_;
  bool stopped_ = false;
};

}  // namespace tpuwh::server::kube::client
