#include "server/serve/https/router.hpp"

#include "base/names.hpp"
#include "server/text/duration.hpp"

#include <fmt/format.h>
#include <boost/beast/core/string.hpp>

#include <algorithm>
#include <array>

namespace tpuwh::server::https {
namespace {

struct Row {
  std::string_view path;
  Resource resource;
  std::string_view allow;
  std::array<bool, 4> on;  // webhook, health, probes, metrics
};

constexpr std::array rows = {
    Row{"/mutate", Resource::mutate, "POST", {true, false, false, false}},
    Row{"/shadow", Resource::shadow, "POST", {true, false, false, false}},
    Row{"/validate", Resource::validate, "POST", {true, false, false, false}},
    Row{"/shadow/validate", Resource::shadow_validate, "POST", {true, false, false, false}},
    Row{"/livez", Resource::livez, "GET, HEAD", {true, true, true, false}},
    Row{"/readyz", Resource::readyz, "GET, HEAD", {true, true, true, false}},
    Row{"/healthz", Resource::healthz, "GET, HEAD", {true, true, true, false}},
    Row{"/metrics", Resource::metrics, "GET, HEAD", {false, true, false, true}},
};

const Row* find_row(std::string_view path, Port port) {
  const auto* row = std::find_if(rows.begin(), rows.end(),
                                 [path](const Row& candidate) { return candidate.path == path; });
  if (row == rows.end()) return nullptr;
  return row->on[static_cast<std::size_t>(port)] ? row : nullptr;
}

bool takes_review(const Row& row) {
  return row.allow == "POST";
}

bool is_allowed(Method method, const Row& row) {
  if (takes_review(row)) return method == Method::post;
  return method == Method::get || method == Method::head;
}

// "application/json", "application/json; charset=utf-8".
bool is_json(std::string_view content_type) {
  auto media_type = content_type.substr(0, content_type.find(';'));
  const auto last = media_type.find_last_not_of(" \t");
  media_type = media_type.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return boost::beast::iequals({media_type.data(), media_type.size()}, "application/json");
}

std::string_view without_query(std::string_view target) {
  return target.substr(0, target.find_first_of("?#"));
}

// The case of letters aside.
bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         boost::beast::iequals({text.data(), start.size()}, {start.data(), start.size()});
}

}  // namespace

std::string_view path_of(std::string_view target) {
  if (target.starts_with('/')) return without_query(target);
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!begins_with(target, scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::string_view authority = target.substr(0, target.find_first_of("/?#"));
    if (authority.empty()) return {};  // RFC 9110 4.2.1: is to be refused
    target.remove_prefix(authority.size());
    return target.starts_with('/') ? without_query(target) : "/";
  }
  return {};  // "*", "host:443", another scheme
}

std::optional<std::chrono::milliseconds> timeout_of(std::string_view target) {
  constexpr std::string_view name = "timeout=";
  auto query = target.substr(std::min(target.find('?'), target.size()));
  while (!query.empty()) {
    query.remove_prefix(1);  // '?' or '&'
    const auto pair = query.substr(0, query.find('&'));
    if (pair.starts_with(name)) return text::parse_duration(pair.substr(name.size()));
    query.remove_prefix(pair.size());
  }
  return std::nullopt;
}

std::variant<Resource, Refusal> route(const RequestHead& head, Port port) {
  if (head.method == Method::unknown) {
    return Refusal{.status = 501,
                   .message = "the method is not an HTTP method; expected POST, GET or HEAD"};
  }
  const Row* row = find_row(path_of(head.target), port);
  if (row == nullptr) {
    return Refusal{
        .status = 404,
        .message = fmt::format("no such path: {}", base::printable(without_query(head.target)))};
  }
  if (!is_allowed(head.method, *row)) {
    return Refusal{.status = 405,
                   .message = fmt::format("{} accepts {} only", row->path, row->allow),
                   .allow = row->allow};
  }
  if (!takes_review(*row)) return row->resource;
  if (!is_json(head.content_type)) {
    return Refusal{.status = 415,
                   .message = fmt::format("Content-Type \"{}\"; an AdmissionReview is sent as "
                                          "application/json",
                                          base::printable(head.content_type))};
  }
  if (!head.chunked && !head.content_length) {
    return Refusal{.status = 411, .message = "a review needs a Content-Length"};
  }
  return row->resource;
}

}  // namespace tpuwh::server::https
