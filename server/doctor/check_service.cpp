#include "server/doctor/check.hpp"
#include "server/doctor/commands.hpp"
#include "server/doctor/entries.hpp"
#include "server/live/installation.hpp"
#include "server/text/json_text.hpp"
#include "topology/counted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace tpuwh::server::doctor {

namespace {

// By the API's rule an endpoint whose condition is not told is ready.
bool is_ready(const Json& endpoint) {
  const Json& ready = text::member(text::member(endpoint, "conditions"), "ready");
  return !ready.is_boolean() || ready.get<bool>();
}

std::size_t ready_endpoints(const ReadList& slices) {
  std::size_t count = 0;
  for (const Json& slice : slices.items)
    for (const Json& endpoint : text::member(slice, "endpoints"))
      count += is_ready(endpoint) ? 1 : 0;
  return count;
}

// Whom it concerns that nobody answers.
std::string refused(const View& view) {
  if (!view.configuration.there()) return {};
  const auto names = refusing(view);
  if (names.empty()) return {};
  return fmt::format(": no Pod can be created that is sent to {} (failurePolicy Fail)",
                     fmt::join(names, ", "));
}

}  // namespace

void check_service(const View& view, Checks& out) {
  constexpr auto check = "service";
  const std::string service = fmt::format("Service {}/{}", view.ns, live::installed_name);
  if (view.service.found == Found::absent)
    return fail(out, check, service + " does not exist; the API server calls it" + refused(view),
                put_back(view));
  if (!view.service.there()) return unknown(out, check, view.service.why);
  if (text::text_member(text::member(view.service.object, "spec"), "type") == "ExternalName")
    return ok(out, check, service + " points to a server outside the cluster (ExternalName)");
  if (!view.endpoint_slices.there()) return unknown(out, check, view.endpoint_slices.why);
  const std::size_t ready = ready_endpoints(view.endpoint_slices);
  if (ready == 0)
    return fail(out, check, fmt::format("{} has no ready endpoint{}", service, refused(view)),
                with_note(kubectl(view.ns, "get pods,events"),
                          "the Pods' log says why they are not ready"));
  ok(out, check, fmt::format("{} has {}", service, topology::counted(ready, "ready endpoint")));
}

void check_deployment(const View& view, Checks& out) {
  constexpr auto check = "deployment";
  const std::string name = fmt::format("Deployment {}/{}", view.ns, live::installed_name);
  if (view.deployment.found == Found::absent)
    return fail(out, check, name + " does not exist", put_back(view));
  if (!view.deployment.there()) return unknown(out, check, view.deployment.why);
  const auto number = [](const Json& value, long otherwise) {
    return value.is_number_integer() ? value.get<long>() : otherwise;
  };
  const long wanted =
      number(text::member(text::member(view.deployment.object, "spec"), "replicas"), 1);
  const long there =
      number(text::member(text::member(view.deployment.object, "status"), "availableReplicas"), 0);
  const std::string what = fmt::format("{} has {} of {} replicas available", name, there, wanted);
  const std::string fix = kubectl(view.ns, "describe deployment,pods");
  if (there == 0)
    fail(out, check, what, fix);
  else if (there < wanted)
    warn(out, check, what, fix);
  else
    ok(out, check, what);
  if (!view.pods.there()) return unknown(out, "versions", view.pods.why);
  std::map<std::string, int> images;
  for (const Json& pod : view.pods.items)
    for (const Json& container : text::member(text::member(pod, "spec"), "containers"))
      if (text::text_member(container, "name") == live::installed_name)
        ++images[text::text_member(container, "image")];
  std::string list;
  for (const auto& [image, count] : images)
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", image, count);
  if (images.size() > 1)
    warn(out, "versions", "replicas run different images: " + list,
         "wait for the rollout to finish, or see why it does not: " +
             kubectl(view.ns, fmt::format("rollout status deployment/{}", live::installed_name)));
  else
    ok(out, "versions", images.empty() ? "no replica runs an image" : "all replicas run " + list);
}

}  // namespace tpuwh::server::doctor
