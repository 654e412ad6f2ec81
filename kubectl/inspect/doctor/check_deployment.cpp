// How many replicas there are, and whether they run the same.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/pod_trouble.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <map>

namespace tpuwh::server::doctor {

namespace {

constexpr auto deployment_line = "deployment";

// What the Deployment's controller says of what it cannot do, such as a quota that is used up.
std::string complaints(const Json& deployment) {
  std::string out;
  for (const Json& each : text::member(text::member(deployment, "status"), "conditions")) {
    const std::string type = text::text_member(each, "type");
    const bool bad = (type == "ReplicaFailure" && text::text_member(each, "status") == "True") ||
                     (type == "Progressing" && text::text_member(each, "status") == "False");
    if (bad) out += fmt::format("; {}: {}", type, text::text_member(each, "message"));
  }
  return out;
}

// What the Pods say themselves. Those that have failed stay, and matter only where one is missing.
std::string troubles(const View& view, bool whole) {
  std::string out;
  for (const Json& pod : view.pods.items)
    if (!whole || text::text_member(text::member(pod, "status"), "phase") != "Failed")
      if (const auto why = trouble_of(pod); !why.empty()) out += "; " + why;
  return out;
}

void check_versions(const View& view, Checks& out) {
  if (!view.pods.there()) return unknown(out, "versions", view.pods.why);
  std::map<std::string, int> images;
  for (const Json& pod : view.pods.items)
    for (const Json& container : text::member(text::member(pod, "spec"), "containers"))
      if (text::text_member(container, "name") == running::installed_name)
        ++images[text::text_member(container, "image")];
  std::string list;
  for (const auto& [image, count] : images)
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", image, count);
  const std::string wanted =
      text::text_member(own_container(pod_template(view.deployment.object)), "image");
  const bool another = images.size() == 1 && !wanted.empty() && !images.contains(wanted);
  if (images.size() > 1 || another)
    warn(
        out, "versions",
        (another ? fmt::format("the Deployment's image is {}, and replicas run others: ", wanted)
                 : std::string("replicas run different images: ")) +
            list,
        "wait for the rollout to finish, or see why it does not: " +
            kubectl(view.ns, fmt::format("rollout status deployment/{}", running::installed_name)));
  else
    ok(out, "versions", images.empty() ? "no replica runs an image" : "all replicas run " + list);
}

}  // namespace

void check_deployment(const View& view, Checks& out) {
  const std::string name = fmt::format("Deployment {}/{}", view.ns, running::installed_name);
  if (view.deployment.found == Found::absent)
    return fail(out, deployment_line, name + " does not exist", put_back(view));
  if (!view.deployment.there()) return unknown(out, deployment_line, view.deployment.why);
  const Json& spec = text::member(view.deployment.object, "spec");
  const long wanted = wanted_replicas(view.deployment.object);
  const Json& available =
      text::member(text::member(view.deployment.object, "status"), "availableReplicas");
  const long there = available.is_number_integer() ? available.get<long>() : 0;
  const std::string wrong = complaints(view.deployment.object) + troubles(view, there >= wanted);
  const std::string what =
      fmt::format("{} has {} of {} replicas available{}", name, there, wanted, wrong);
  const std::string fix = kubectl(view.ns, "describe deployment,pods");
  if (wanted == 0)
    fail(out, deployment_line, name + " has spec.replicas 0: no replica answers",
         with_values(view, {"--set replicas=3"}));
  else if (there == 0)
    fail(out, deployment_line, what, fix);
  else if (there < wanted || !wrong.empty())
    warn(out, deployment_line, what, fix);
  else if (text::member(spec, "paused") == true)
    warn(out, deployment_line, what + ", and is paused: changes of an upgrade are not rolled out",
         kubectl(view.ns, "rollout resume deployment/tpu-webhook"));
  else if (wanted == 1 && !refusing(view).empty())
    warn(out, deployment_line,
         what +
             ": while that one is recreated, on another node or by an upgrade, Pods of entries "
             "with failurePolicy Fail may be refused",
         with_values(view, {"--set replicas=3"}));
  else
    ok(out, deployment_line, what);
  check_versions(view, out);
}

}  // namespace tpuwh::server::doctor
