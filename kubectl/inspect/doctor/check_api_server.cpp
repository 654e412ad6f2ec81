#include "base/names.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <optional>

namespace tpuwh::server::doctor {

namespace {

// matchConditions of webhooks are stable from 1.30 on, and without them every Pod of the
// cluster would be sent. source: kubernetes.io, Dynamic Admission Control (read 2026-11)
constexpr std::uint32_t oldest_minor = 30;

// "31" of "31" and of "31+".
std::optional<std::uint32_t> minor_of(const Json& version) {
  std::string text = text::text_member(version, "minor");
  if (text.ends_with('+')) text.pop_back();
  return base::plain_decimal(text);
}

}  // namespace

namespace {

void check_version(const View& view, Checks& out) {
  constexpr auto check = "api-server";
  if (!view.version.there()) return unknown(out, check, view.version.why);
  const std::string found = text::text_member(view.version.object, "gitVersion");
  const auto minor = minor_of(view.version.object);
  const bool supported =
      text::text_member(view.version.object, "major") == "1" && minor && *minor >= oldest_minor;
  if (!supported)
    fail(out, check,
         fmt::format("{} is Kubernetes {}; tpu-webhook supports 1.{} and later", view.server,
                     base::printable(found), oldest_minor),
         "upgrade the control plane");
  else
    ok(out, check, fmt::format("{} is Kubernetes {}", view.server, base::printable(found)));
}

}  // namespace

void check_api_server(const View& view, Checks& out) {
  check_version(view, out);
  if (view.watch_list.there())
    ok(out, "watch-list",
       "the API server offers watch-lists: replicas start with one streamed list");
  else if (view.watch_list.found == Found::absent)
    ok(out, "watch-list", "the API server offers no watch-lists: replicas list page by page");
  else
    unknown(out, "watch-list", view.watch_list.why);
}

}  // namespace tpuwh::server::doctor
