// What our objects carry: the chart's labels, by which Helm, people and this program know whose
// they are, and the annotation by which cert-manager writes the caBundle.
#include "base/counted.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/keys.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto labels_line = "labels";
constexpr auto injection = "cert-manager.io/inject-ca-from";

// In the chart's order; of each all objects have the same.
constexpr const char* rendered[] = {objects::key::app_name, "app.kubernetes.io/instance",
                                    objects::key::app_version, "app.kubernetes.io/managed-by",
                                    "helm.sh/chart"};
constexpr const char* of_helm[] = {"meta.helm.sh/release-name", "meta.helm.sh/release-namespace"};

struct Labelled {
  std::string what;
  const Json* object;
};

std::vector<Labelled> labelled(const View& view) {
  std::vector<Labelled> out;
  const auto add = [&](const char* kind, const Read& read) {
    if (read.there() && name_of_object(read.object) == running::installed_name)
      out.push_back({kind, &read.object});
  };
  add("MutatingWebhookConfiguration", view.configuration);
  add("ValidatingWebhookConfiguration", view.validating);
  add("Deployment", view.deployment);
  add("Service", view.service);
  add("ServiceAccount", view.account);
  add("ClusterRole", view.roles.cluster_role);
  add("ClusterRoleBinding", view.roles.cluster_role_binding);
  add("Role", view.roles.role);
  add("RoleBinding", view.roles.role_binding);
  add("PriorityClass", view.priority_class);
  add("FlowSchema", view.flow_schema);
  add("PodMonitor", view.pod_monitor);
  add("Certificate", view.request);
  const auto add_named = [&](const char* kind, const ReadList& list) {
    for (const Json& each : list.items)
      if (name_of_object(each) == running::installed_name) out.push_back({kind, &each});
  };
  add_named("NetworkPolicy", view.policies);
  add_named("PodDisruptionBudget", view.budgets);
  for (const Json& each : view.quotas.items)
    if (name_of_object(each) == critical_quota) out.push_back({"ResourceQuota", &each});
  return out;
}

const Json& labels_in(const Json& object) {
  return text::member(text::member(object, "metadata"), "labels");
}

const Json& annotations_in(const Json& object) {
  return text::member(text::member(object, "metadata"), "annotations");
}

// Objects that have another value under `key` than most.
std::vector<std::string> unlike(const std::vector<Labelled>& all, const char* key,
                                const Json& (*part)(const Json&)) {
  std::map<std::string, std::size_t> counts;
  for (const Labelled& each : all) ++counts[text::text_member(part(*each.object), key)];
  const std::string most =
      std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
  std::vector<std::string> out;
  for (const Labelled& each : all) {
    const std::string found = text::text_member(part(*each.object), key);
    if (found == most) continue;
    out.push_back(fmt::format("{}: {} is {}, expected {}", each.what, key,
                              found.empty() ? "missing" : text::dump_json(Json(found)),
                              most.empty() ? "none" : text::dump_json(Json(most))));
  }
  return out;
}

std::vector<std::string> deleted(const std::vector<Labelled>& all) {
  std::vector<std::string> out;
  for (const Labelled& each : all)
    if (!text::text_member(text::member(*each.object, "metadata"), "deletionTimestamp").empty())
      out.push_back(each.what);
  return out;
}

// Configurations whose caBundle cert-manager is not told to write.
std::vector<std::string> not_injected(const View& view) {
  std::vector<std::string> out;
  if (!is_cert_managers(view)) return out;
  const std::string wanted = fmt::format("{}/{}", view.ns, running::installed_name);
  for (const auto& [kind, read] : {std::pair("MutatingWebhookConfiguration", &view.configuration),
                                   std::pair("ValidatingWebhookConfiguration", &view.validating)})
    if (read->there() && text::text_member(annotations_in(read->object), injection) != wanted)
      out.push_back(fmt::format("{}: {} is not \"{}\"", kind, injection, wanted));
  return out;
}

// What clients and controllers write, and nobody chooses.
bool is_written_by_itself(const std::string& key) {
  return key == "kubectl.kubernetes.io/last-applied-configuration" ||
         key == "deployment.kubernetes.io/revision" || key == "checksum/config" ||
         key == objects::key::pod_template_hash || key == injection;
}

template <class Keys>
bool is_among(const Keys& keys, const std::string& key) {
  return std::ranges::find(keys, key) != std::end(keys);
}

// Names of labels and annotations that values or other hands have added.
std::set<std::string> others(const Json& object) {
  std::set<std::string> out;
  for (const Json* part : {&labels_in(object), &annotations_in(object)})
    if (part->is_object())
      for (const auto& [key, value] : part->items())
        if (!is_among(rendered, key) && !is_among(of_helm, key) && !is_written_by_itself(key))
          out.insert(key);
  return out;
}

}  // namespace

void check_labels(const View& view, Checks& out) {
  const auto all = labelled(view);
  if (all.empty()) return;
  if (const auto names = deleted(all); !names.empty())
    return fail(
        out, labels_line,
        fmt::format("{} tpu-webhook was deleted, and exists until its finalizers are removed",
                    fmt::join(names, ", ")),
        "find in metadata.finalizers which controllers hold it, have them remove their "
        "finalizers, then recreate it");
  std::vector<std::string> wrong;
  const auto add = [&](std::vector<std::string> more) {
    wrong.insert(wrong.end(), more.begin(), more.end());
  };
  for (const char* key : rendered) add(unlike(all, key, labels_in));
  for (const char* key : of_helm) add(unlike(all, key, annotations_in));
  add(not_injected(view));
  if (!wrong.empty())
    return warn(out, labels_line,
                fmt::format("not as the chart renders them: {}", fmt::join(wrong, "; ")),
                put_back(view));
  std::set<std::string> more;
  for (const Labelled& each : all) more.merge(others(*each.object));
  const auto of_pods = others(pod_template(view.deployment.object));
  std::string said =
      fmt::format("{} carry the chart's labels", base::counted(all.size(), "object"));
  if (!more.empty()) said += fmt::format("; others, not compared: {}", fmt::join(more, ", "));
  if (!of_pods.empty())
    said += fmt::format("; of the Pods, not compared: {}", fmt::join(of_pods, ", "));
  ok(out, labels_line, said);
}

}  // namespace tpuwh::server::doctor
