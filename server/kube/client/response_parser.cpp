#include "server/kube/client/response_parser.hpp"

#include "server/limits/limits.hpp"

#include <boost/beast/http/error.hpp>

#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

namespace tpuwh::server::kube::client {
namespace http = boost::beast::http;
namespace {

std::optional<std::chrono::seconds> seconds_of(std::string_view text) {
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

}  // namespace

std::optional<std::string> warning_text(std::string_view field) {
  constexpr std::string_view code = "299 ";
  if (!field.starts_with(code)) return std::nullopt;
  const std::size_t agent_end = field.find(' ', code.size());
  if (agent_end == std::string_view::npos) return std::nullopt;
  field.remove_prefix(agent_end + 1);
  if (!field.starts_with('"')) return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (field[i] == '"') return out;
    if (field[i] == '\\' && ++i == field.size()) break;
    out += field[i];
  }
  return std::nullopt;  // it does not end
}

ResponseParser::ResponseParser(OnBody on_body) : on_body_(std::move(on_body)) {
  header_limit(static_cast<std::uint32_t>(limits::api::answer_header_bytes));
  body_limit(boost::none);
}

ResponseParser::Progress ResponseParser::read(std::string_view bytes) {
  std::size_t used = 0;
  error_code ec;
  const bool in_header = !is_header_done();
  while (!is_done() && !ec) {
    const auto rest = bytes.substr(used);
    if (rest.empty()) return {State::need_more, used};  // put() of nothing would say nothing
    used += put({rest.data(), rest.size()}, ec);
    if (in_header && is_header_done() && !ec) break;
  }
  if (!ec && in_header) return {State::head, used};
  return {after(ec), used};
}

ResponseParser::State ResponseParser::read_end() {
  error_code ec;
  put_eof(ec);
  if (ec == http::error::partial_message || ec == http::error::end_of_stream) {
    error_ = "the connection was closed in the middle of an answer";
    return State::failed;
  }
  return after(ec);
}

ResponseParser::State ResponseParser::after(const error_code& ec) {
  if (stopped_) return State::stopped;
  if (ec == http::error::need_more) return State::need_more;
  if (!ec) return State::complete;
  error_ = "the answer is not HTTP: " + ec.message();
  return State::failed;
}

void ResponseParser::on_response_impl(int code, string_view, int, error_code&) {
  head_.status = static_cast<unsigned>(code);
}

void ResponseParser::on_field_impl(field name, string_view, string_view value, error_code&) {
  const std::string_view text(value.data(), value.size());
  if (name == field::content_type) head_.content_type = text;
  if (name == field::retry_after) head_.retry_after = seconds_of(text);
  if (name == field::warning)
    if (auto warning = warning_text(text)) head_.warnings.push_back(std::move(*warning));
}

std::size_t ResponseParser::on_body_impl(string_view bytes, error_code& ec) {
  if (on_body_({bytes.data(), bytes.size()})) return bytes.size();
  stopped_ = true;
  ec = http::error::end_of_stream;
  return 0;
}

std::size_t ResponseParser::on_chunk_body_impl(std::uint64_t, string_view bytes, error_code& ec) {
  return on_body_impl(bytes, ec);
}

}  // namespace tpuwh::server::kube::client
