#include "server/serve/https/request_parser.hpp"

#include "base/characters.hpp"
#include "base/names.hpp"
#include "server/limits/limits.hpp"
#include "server/serve/https/folded_line.hpp"
#include "server/serve/https/host_field.hpp"

#include <fmt/format.h>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <utility>

namespace tpuwh::server::https {
namespace http = boost::beast::http;
namespace {

std::string_view to_std(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

Method to_method(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::get;
    case http::verb::head:
      return Method::head;
    case http::verb::post:
      return Method::post;
    case http::verb::unknown:
      return Method::unknown;
    default:
      return Method::other;
  }
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// RFC 3986 2: those of a URI without a fragment, which no request has (RFC 9112 3.2).
constexpr auto target_characters = base::characters([](char c) {
  return c > ' ' && c <= '~' && std::string_view("\"#<>\\^`{|}").find(c) == std::string_view::npos;
});

}  // namespace

RequestParser::RequestParser(RequestHead& head, std::string& body) : head_(head), body_(body) {
  head_.clear();
  body_.clear();
  header_limit(limits::header_bytes);
  body_limit(boost::none);  // no limit in Beast, because see_body() checks the size
}

RequestParser::Step RequestParser::read(std::string_view bytes) {
  return is_header_done() ? read_body(bytes) : read_head(bytes);
}

RequestParser::Step RequestParser::read_head(std::string_view bytes) {
  if (header_bytes_ == 0 && bytes.starts_with('\r')) return read_empty_line(bytes);
  error_code ec;
  const std::size_t used = put({bytes.data(), bytes.size()}, ec);
  // Beast uses up complete fields as they come, and its limit is for what is left;
  // ours is for all of them.
  header_bytes_ += used;
  const std::size_t waiting = is_header_done() ? 0 : bytes.size() - used;
  if (has_folded_line(bytes.substr(0, used))) refuse(400, "header field continued on a new line");
  if (header_bytes_ + waiting > limits::header_bytes) refuse(http::error::header_limit);
  if (ec == http::error::bad_version) refuse_version(bytes.substr(used));
  if (ec && ec != http::error::need_more) refuse(ec);
  if (is_header_done()) check_head();
  if (refused()) return {State::refused, used};
  return {is_header_done() ? State::head : State::need_more, used};
}

// One before a request is passed over (RFC 9112 2.2); a second one Beast refuses.
RequestParser::Step RequestParser::read_empty_line(std::string_view bytes) {
  constexpr std::string_view line = "\r\n";
  if (bytes.size() < line.size()) return {State::need_more, 0};
  if (!bytes.starts_with(line)) {
    refuse(400, "not an HTTP/1.1 request: a line that ends in a carriage return alone");
    return {State::refused, 0};
  }
  header_bytes_ = line.size();
  Step step = read_head(bytes.substr(line.size()));
  step.used += line.size();
  return step;
}

RequestParser::State RequestParser::check_length() {
  return see_body(std::max(seen_body_, head_.content_length.value_or(0))) ? State::need_more
                                                                          : State::refused;
}

bool RequestParser::see_body(std::uint64_t all) {
  seen_body_ = all;
  if (seen_body_ > most_body_) refuse(413, fmt::format("body larger than {} bytes", most_body_));
  return !refused();
}

bool RequestParser::has_known_length() const {
  return !head_.chunked && head_.content_length && !has_excess();
}

std::size_t RequestParser::missing() const {
  return has_known_length() ? *head_.content_length - body_.size() : 0;
}

RequestParser::Step RequestParser::read_body(std::string_view bytes) {
  if (check_length() == State::refused) return {State::refused, 0};
  if (is_done()) return {State::complete, 0};
  if (has_known_length()) {
    const std::size_t used = std::min(bytes.size(), missing());
    body_.append(bytes.data(), used);
    return {missing() == 0 ? State::complete : State::need_more, used};
  }
  eager(true);  // all that has come: by itself Beast ends each call after a chunk
  trailer_ = nullptr;
  error_code ec;
  const std::size_t used = put({bytes.data(), bytes.size()}, ec);
  if (trailer_ != nullptr) {
    const char* const end = bytes.data() + used;
    if (trailer_ < end && has_folded_line({trailer_, static_cast<std::size_t>(end - trailer_)})) {
      refuse(400, "trailer field continued on a new line");
      return {State::refused, used};
    }
  }
  if (ec && ec != http::error::need_more) {
    refuse(ec);
    return {State::refused, used};
  }
  return {is_done() ? State::complete : State::need_more, used};
}

void RequestParser::on_request_impl(verb method, string_view, string_view target, int version,
                                    error_code&) {
  head_.method = to_method(method);
  if (!base::consists_of(target_characters, to_std(target))) {
    refuse(400, fmt::format("malformed target: \"{}\"", base::printable(to_std(target))));
  }
  head_.target.assign(target.data(), target.size());
  head_.http_1_1 = version == 11;
}

void RequestParser::on_field_impl(field name, string_view, string_view value_text, error_code&) {
  if (is_header_done()) return;  // a trailer field
  if (++fields_ > limits::header_fields) {
    refuse(431, fmt::format("more than {} header fields", limits::header_fields));
  }
  const auto value = to_std(value_text);
  switch (name) {
    case field::host:
      return take_host(value);
    case field::content_length:
      return take_length(value);
    case field::transfer_encoding:
      return take_transfer_encoding(value);
    case field::content_type:
      return take_content_type(value);
    case field::expect:
      head_.expects_continue = boost::beast::iequals(value_text, "100-continue");
      return;
    default:
      return;
  }
}

void RequestParser::take_host(std::string_view value) {
  ++hosts_;
  if (!is_host_field(value)) {
    refuse(400, fmt::format("malformed Host: \"{}\"", base::printable(value)));
  }
}

// Who takes the first and who takes the last read two requests in one (RFC 9110 8.3).
void RequestParser::take_content_type(std::string_view value) {
  if (++content_types_ > 1) refuse(400, "Content-Type given more than once");
  head_.content_type = value;
}

void RequestParser::take_length(std::string_view value) {
  if (++lengths_ > 1 || !is_digits(value)) {
    refuse(400, "Content-Length must be given once and be one number");
  }
}

void RequestParser::take_transfer_encoding(std::string_view value) {
  if (++transfer_encodings_ > 1) refuse(400, "Transfer-Encoding given more than once");
  if (!boost::beast::iequals({value.data(), value.size()}, "chunked")) {
    refuse(501, fmt::format("Transfer-Encoding \"{}\"; only \"chunked\" is supported",
                            base::printable(value)));
  }
}

void RequestParser::on_header_impl(error_code&) {
  head_.keep_alive = keep_alive();
  head_.chunked = chunked();
  if (const auto length = content_length()) head_.content_length = *length;
}

void RequestParser::check_head() {
  if (hosts_ > 1) refuse(400, "Host given more than once");
  if (hosts_ == 0 && head_.http_1_1) refuse(400, "no Host");
  if (transfer_encodings_ > 0 && !head_.http_1_1) refuse(400, "Transfer-Encoding in HTTP/1.0");
}

std::size_t RequestParser::on_body_impl(string_view bytes, error_code&) {
  std::size_t kept = bytes.size();
  if (has_excess()) {
    body_.resize(std::min(body_.size(), limits::review_start_bytes));
    kept = std::min(kept, limits::review_start_bytes - body_.size());
  }
  body_.append(bytes.data(), kept);
  return bytes.size();
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, string_view bytes, error_code& ec) {
  return on_body_impl(bytes, ec);
}

// The whole trailer follows the size line of the last chunk, because Beast reads all of the trailer
// before this call.
void RequestParser::on_chunk_header_impl(std::uint64_t size, string_view extension,
                                         error_code& ec) {
  if (!see_body(seen_body_ + size)) ec = http::error::body_limit;
  if (size == 0) trailer_ = extension.data() + extension.size();
}

RequestParser::State RequestParser::refuse(Refusal refusal) {
  if (!refused()) refusal_ = std::move(refusal);
  return State::refused;
}

RequestParser::State RequestParser::refuse_long_line() {
  return refuse({.status = 400, .message = "the size line of a chunk is too long"});
}

void RequestParser::refuse(unsigned status, std::string message) {
  refuse({.status = status, .message = std::move(message)});
}

// `rest` begins with the request line. Where that does not end in a version of HTTP, it is no
// request at all; nor where it ends in one of ours, before something else that Beast minds.
void RequestParser::refuse_version(std::string_view rest) {
  constexpr std::string_view like = "HTTP/2.0";
  const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
  if (line.size() < like.size()) return;
  const std::string_view version = line.substr(line.size() - like.size());
  const bool ours = version == "HTTP/1.0" || version == "HTTP/1.1";
  if (!ours && version.starts_with("HTTP/") && is_digits(version.substr(5, 1)) &&
      version[6] == '.' && is_digits(version.substr(7)))
    refuse(505, fmt::format("{} is not supported; expected HTTP/1.1", version));
}

void RequestParser::refuse(const error_code& ec) {
  if (ec == http::error::header_limit || ec == http::error::buffer_overflow) {
    return refuse(431, fmt::format("header larger than {} bytes", limits::header_bytes));
  }
  refuse(400, fmt::format("not an HTTP/1.1 request: {}", ec.message()));
}

}  // namespace tpuwh::server::https
