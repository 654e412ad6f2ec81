#include "server/kube/client/status.hpp"

#include "server/kube/client/bounded_json.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::kube::client {
namespace {

using text::text_member;

// Enough of a page that is not a Status to know who wrote it.
constexpr std::size_t longest_foreign_text = 200;

// A number of an object that is not negative; nothing otherwise.
std::optional<unsigned> number_of(const Json& object, const char* key) {
  const Json* found = text::find_member(object, key);
  if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
  return static_cast<unsigned>(std::min<std::uint64_t>(found->get<std::uint64_t>(), 1u << 30));
}

void read_details(const Json& details, Status& status) {
  const auto seconds = number_of(details, "retryAfterSeconds");
  if (seconds && *seconds > 0 && !status.retry_after) {
    status.retry_after = std::chrono::seconds(*seconds);
  }
  const Json* causes = text::find_member(details, "causes");
  if (causes == nullptr || !causes->is_array()) return;
  for (const auto& cause : *causes) {
    if (!cause.is_object()) continue;
    status.causes.push_back({.reason = text_member(cause, "reason"),
                             .message = text_member(cause, "message"),
                             .field = text_member(cause, "field")});
  }
}

// One line of printable ASCII, cut.
std::string beginning(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, longest_foreign_text)) {
    const bool printable = c >= ' ' && c <= '~';
    if (printable) out += c;
    if (!printable && !out.empty() && out.back() != ' ') out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  if (text.size() > longest_foreign_text) out += "...";
  return out;
}

constexpr std::pair<unsigned, std::string_view> reasons[] = {
    {400, "BadRequest"},    {401, "Unauthorized"},
    {403, "Forbidden"},     {404, "NotFound"},
    {409, "Conflict"},      {410, "Expired"},
    {422, "Invalid"},       {429, "TooManyRequests"},
    {500, "InternalError"}, {503, "ServiceUnavailable"},
    {504, "Timeout"}};

std::string_view reason_of(unsigned code) {
  const auto* found =
      std::ranges::find(reasons, code, &std::pair<unsigned, std::string_view>::first);
  return found == std::end(reasons) ? "" : found->second;
}

std::string scope(const Resource& resource) {
  return resource.ns.empty() ? "cluster-wide" : fmt::format("in namespace {}", resource.ns);
}

}  // namespace

bool Status::version_too_large() const {
  return std::ranges::any_of(
      causes, [](const Cause& cause) { return cause.reason == "ResourceVersionTooLarge"; });
}

Status read_status(unsigned http_code, std::string_view body,
                   std::optional<std::chrono::seconds> retry_after) {
  Status status;
  status.code = http_code;
  status.retry_after = retry_after;
  const auto object = parse_bounded(body);
  if (object && text_member(*object, "kind") == "Status") {
    if (http_code == 0) status.code = number_of(*object, "code").value_or(0);
    status.reason = text_member(*object, "reason");
    status.message = text_member(*object, "message");
    if (const Json* details = text::find_member(*object, "details")) read_details(*details, status);
  } else {
    status.message = beginning(body);
  }
  if (status.reason.empty()) status.reason = reason_of(status.code);
  return status;
}

std::string missing_rule(std::string_view verb, const Resource& resource) {
  return fmt::format(
      "RBAC missing: {} {} ({}); add {{apiGroups: [\"{}\"], resources: [\"{}\"], verbs: "
      "[\"{}\"]}} to the {} of this program's ServiceAccount",
      verb, resource.name(), scope(resource), resource.group, resource.plural, verb,
      resource.ns.empty() ? "ClusterRole" : "Role");
}

std::string sentence(std::string_view verb, const Resource& resource, const Status& status) {
  std::string out = fmt::format("cannot {} {}: {}", verb, resource.name(), status.code);
  if (!status.reason.empty()) out += " " + status.reason;
  if (!status.message.empty()) out += ": " + status.message;
  if (status.code == 403) out += "; " + missing_rule(verb, resource);
  if (status.code == 404 && (verb == "list" || verb == "watch")) {
    out += fmt::format(
        "; {} of version {} is not served: is its CustomResourceDefinition "
        "installed?",
        resource.name(), resource.version);
  }
  return out;
}

}  // namespace tpuwh::server::kube::client
