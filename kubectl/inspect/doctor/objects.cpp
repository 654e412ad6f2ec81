#include "kubectl/inspect/doctor/objects.hpp"

#include "kubectl/certificate/rights.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/gang.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "kubectl/objects/object.hpp"
#include "server/kube/cluster/ledger_object.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace tpuwh::server::doctor {

namespace {

using kube::client::Resource;

Resource registration(const char* plural) {
  return {"admissionregistration.k8s.io", "v1", plural, ""};
}

Resource rbac(const char* plural, const std::string& ns) {
  return {"rbac.authorization.k8s.io", "v1", plural, ns};
}

constexpr auto mutating_kind = "MutatingWebhookConfiguration";

Resource mutating() {
  return registration("mutatingwebhookconfigurations");
}

void read_configurations(Objects& objects, View& view) {
  view.mutating = objects.list(mutating(), mutating_kind, "");
  view.configuration = our_configuration(objects);
  view.validations = objects.list(registration("validatingwebhookconfigurations"),
                                  "ValidatingWebhookConfiguration", "");
  view.validating = objects.get(registration("validatingwebhookconfigurations"),
                                "ValidatingWebhookConfiguration", running::installed_name);
}

// Those of `all` in shadow mode.
ReadList watched(const ReadList& all, const Json& configuration) {
  const std::string label = watched_label(entries_of(configuration));
  if (label.empty()) return {.found = Found::there, .items = {}, .why = {}};
  ReadList out = all;
  std::erase_if(out.items, [&](const Json& each) { return !objects::has_labels(each, label); });
  return out;
}

Read read_config(Objects& objects, View& view) {
  const auto file = mounted_config(view.deployment.object);
  if (!file)
    return argument(view.deployment.object, "config").empty()
               ? Read{.found = Found::absent, .object = {}, .why = {}}
               : not_known("the Deployment mounts nothing where its configuration file is");
  const Resource of{"", "v1", file->kind == "Secret" ? "secrets" : "configmaps", view.ns};
  const Read object = objects.get(of, file->kind, file->name);
  view.config_text = text_of(*file, object);
  return config_of(*file, object);
}

Read read_priority_class(Objects& objects, const View& view) {
  const std::string name = text::text_member(pod_spec(view.deployment.object), "priorityClassName");
  if (name.empty()) return {.found = Found::absent, .object = {}, .why = {}};
  return objects.get({"scheduling.k8s.io", "v1", "priorityclasses", ""}, "PriorityClass", name);
}

void read_flow(Objects& objects, View& view) {
  const auto resource = [](const char* plural) {
    return Resource{"flowcontrol.apiserver.k8s.io", "v1", plural, ""};
  };
  view.flow_schema = objects.get(resource("flowschemas"), "FlowSchema", running::installed_name);
  const Json& spec = text::member(view.flow_schema.object, "spec");
  const std::string level =
      text::text_member(text::member(spec, "priorityLevelConfiguration"), "name");
  if (!level.empty())
    view.priority_level =
        objects.get(resource("prioritylevelconfigurations"), "PriorityLevelConfiguration", level);
}

// A Pod that is being deleted still runs what it ran, for as long as it drains, and says nothing of
// how things are from now on.
void set_aside_leaving(View& view) {
  std::erase_if(view.pods.items, [&](const Json& pod) {
    const bool is = !text::text_member(text::member(pod, "metadata"), "deletionTimestamp").empty();
    if (is) view.leaving.insert(name_of_object(pod));
    return is;
  });
}

void read_cluster_roles(Objects& objects, const std::string& name, Roles& out) {
  out.cluster_role = objects.get(rbac("clusterroles", ""), "ClusterRole", name);
  out.cluster_role_binding =
      objects.get(rbac("clusterrolebindings", ""), "ClusterRoleBinding", name);
}

void read_own_roles(Objects& objects, const std::string& ns, const std::string& name, Roles& out) {
  out.role = objects.get(rbac("roles", ns), "Role", name);
  out.role_binding = objects.get(rbac("rolebindings", ns), "RoleBinding", name);
}

void read_keeper(Objects& objects, View& view) {
  const std::string name = certificate::keeper_name;
  view.keeper = objects.get({"apps", "v1", "deployments", view.ns}, "Deployment", name);
  view.keeper_account = objects.get({"", "v1", "serviceaccounts", view.ns}, "ServiceAccount", name);
  read_cluster_roles(objects, name, view.keeper_roles);
  read_own_roles(objects, view.ns, name, view.keeper_roles);
}

void read_workload(Objects& objects, View& view) {
  const std::string& ns = view.ns;
  view.name_space = objects.get({"", "v1", "namespaces", ""}, "Namespace", ns);
  view.service = objects.get({"", "v1", "services", ns}, "Service", running::installed_name);
  view.endpoint_slices =
      objects.list({"discovery.k8s.io", "v1", "endpointslices", ns}, "EndpointSlice",
                   fmt::format("kubernetes.io/service-name={}", running::installed_name));
  view.policies =
      objects.list({"networking.k8s.io", "v1", "networkpolicies", ns}, "NetworkPolicy", "");
  view.budgets =
      objects.list({"policy", "v1", "poddisruptionbudgets", ns}, "PodDisruptionBudget", "");
  view.quotas = objects.list({"", "v1", "resourcequotas", ns}, "ResourceQuota", "");
  view.pod_monitor = objects.get({"monitoring.coreos.com", "v1", "podmonitors", ns}, "PodMonitor",
                                 running::installed_name);
  view.deployment =
      objects.get({"apps", "v1", "deployments", ns}, "Deployment", running::installed_name);
  view.secret.why = view.pods.why = view.priority_class.why =
      view.deployment.found == Found::absent ? "there is no Deployment" : view.deployment.why;
  view.account = objects.get({"", "v1", "serviceaccounts", ns}, "ServiceAccount",
                             account_of(view.deployment.object));
  if (!view.deployment.there()) return;
  view.priority_class = read_priority_class(objects, view);
  view.config = read_config(objects, view);
  view.secret_name = certificate_secret(view.deployment.object);
  view.is_kept = view.secret_name == certificate::secret_name;
  if (view.is_kept)
    read_keeper(objects, view);
  else
    view.request = objects.get({"cert-manager.io", "v1", "certificates", ns}, "Certificate",
                               running::installed_name);
  view.secret = without_key(objects.get({"", "v1", "secrets", ns}, "Secret", view.secret_name));
  view.pods = objects.list({"", "v1", "pods", ns}, "Pod", pod_selector(view.deployment.object));
  set_aside_leaving(view);
}

// Pods are many: they are read only where there is a gang, and its own are kept.
void read_gangs(Objects& objects, View& view) {
  view.gangs = objects.list({"scheduling.k8s.io", "v1beta1", "podgroups", ""}, "PodGroup", "");
  std::erase_if(view.gangs.items, [](const Json& each) { return objects::gang_size(each) == 0; });
  std::set<std::string> namespaces;
  for (const Json& each : view.gangs.items) namespaces.insert(objects::namespace_of(each));
  view.ganged.found = Found::there;
  for (const std::string& ns : namespaces) {
    ReadList pods = objects.list({"", "v1", "pods", ns}, "Pod", "");
    if (!pods.there()) view.ganged = {.found = pods.found, .items = {}, .why = pods.why};
    if (!view.ganged.there()) return;
    for (Json& pod : pods.items)
      if (!objects::pod_group_of(pod).empty()) view.ganged.items.push_back(std::move(pod));
  }
}

// Of the resource, which Pods of any cluster may ask for (docs/facts.md#dra-extended-resource).
void read_device_classes(Objects& objects, View& view) {
  view.device_classes =
      objects.list({"resource.k8s.io", "v1", "deviceclasses", ""}, "DeviceClass", "");
  std::erase_if(view.device_classes.items, [](const Json& each) {
    return text::text_member(text::member(each, "spec"), "extendedResourceName") !=
           "google.com/tpu";
  });
}

// What is in no namespace, and says which: the configuration by whom it calls, else any by whose
// release it is.
void read_what_is_in_none(Objects& objects, View& view) {
  read_configurations(objects, view);
  view.namespaces = objects.list({"", "v1", "namespaces", ""}, "Namespace", "");
  view.watched = watched(view.namespaces, view.configuration.object);
  read_cluster_roles(objects, running::installed_name, view.roles);
  if (view.ns_is_asked || view.configuration.there()) return;
  if (const auto release = our_release(view)) view.ns = release->ns;
}

}  // namespace

Read our_configuration(Objects& objects) {
  return objects.get(mutating(), mutating_kind, running::installed_name);
}

void read_releases(Objects& objects, View& view) {
  const auto release = our_release(view);
  if (!release) return;
  view.releases_asked = true;
  view.releases = objects.list({"", "v1", "secrets", release->ns}, "Secret",
                               fmt::format("owner=helm,name={}", release->name));
  // What a release was rendered with is nobody's business here.
  for (Json& each : view.releases.items) each = {{"metadata", text::member(each, "metadata")}};
}

void read_objects(Objects& objects, View& view) {
  read_what_is_in_none(objects, view);
  read_workload(objects, view);
  read_own_roles(objects, view.ns, running::installed_name, view.roles);
  read_flow(objects, view);
  read_gangs(objects, view);
  read_device_classes(objects, view);
  view.ledger = objects.list(kube::cluster::ledger_objects(view.ns), "ConfigMap",
                             std::string(kube::cluster::ledger_label));
}

}  // namespace tpuwh::server::doctor
