// Whether there is one installation: two change the same Pods, and neither knows of the other.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto installations_line = "installations";

const Json& service_of(const Json& entry) {
  return text::member(text::member(entry, "clientConfig"), "service");
}

// By what an entry is called, or whom it calls.
bool is_of_tpu_webhook(const Json& entry) {
  return name_of(entry).ends_with(".tpu-webhook.dev") ||
         text::text_member(service_of(entry), "name") == running::installed_name;
}

std::string whom(const Json& entries) {
  std::set<std::string> out;
  for (const Json& each : entries)
    if (is_of_tpu_webhook(each)) {
      const Json& service = service_of(each);
      out.insert(service.is_null()
                     ? text::text_member(text::member(each, "clientConfig"), "url")
                     : fmt::format("Service {}/{}", text::text_member(service, "namespace"),
                                   text::text_member(service, "name")));
    }
  return fmt::format("{}", fmt::join(out, ", "));
}

void check_kind(const char* kind, const ReadList& all, Checks& out) {
  for (const Json& each : all.items) {
    const Json& metadata = text::member(each, "metadata");
    const std::string name = text::text_member(metadata, "name");
    const Json& entries = text::member(each, "webhooks");
    if (name == running::installed_name ||
        std::none_of(entries.begin(), entries.end(), is_of_tpu_webhook))
      continue;
    const auto release = release_of(each);
    warn(out, installations_line,
         fmt::format("{} {} belongs to another installation, or has another name: it calls {}; "
                     "reviews sent to both are handled twice, and doctor does not check it further",
                     kind, name, whom(entries)),
         release ? "keep one of the two; to remove this one: " + uninstall(*release)
                 : "keep one of the two; this one belongs to no release: its labels and "
                   "managedFields name its creator");
  }
}

}  // namespace

void check_installations(const View& view, Checks& out) {
  const std::size_t before = out.size();
  if (!view.mutating.there()) return;  // `order` says so
  check_kind("MutatingWebhookConfiguration", view.mutating, out);
  check_kind("ValidatingWebhookConfiguration", view.validations, out);
  if (out.size() > before) return;
  if (!view.validations.there())
    return ok(out, installations_line,
              "no other MutatingWebhookConfiguration belongs to tpu-webhook; for validating ones "
              "this is not known: " +
                  view.validations.why);
  ok(out, installations_line, "no other webhook configuration belongs to tpu-webhook");
}

}  // namespace tpuwh::server::doctor
