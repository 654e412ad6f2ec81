#include "kubectl/inspect/doctor/snapshot.hpp"

#include "kubectl/inspect/doctor/objects.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "kubectl/objects/object.hpp"
#include "server/text/json_text.hpp"

#include <functional>

namespace tpuwh::server::doctor {

namespace {

using objects::namespace_of;

constexpr auto not_in_a_file = "a snapshot does not say";

class Snapshot final : public Objects {
 public:
  Snapshot(const std::vector<Json>& objects, const KindsListed& listed)
      : objects_(objects), listed_(listed) {}

  Read get(const kube::client::Resource& resource, const std::string& kind,
           const std::string& name) override {
    return first(all(kind, [&](const Json& object) {
      return name_of_object(object) == name && namespace_of(object) == resource.ns;
    }));
  }

  ReadList list(const kube::client::Resource& resource, const std::string& kind,
                const std::string& labels) override {
    return all(kind, [&](const Json& object) {
      return (resource.ns.empty() || namespace_of(object) == resource.ns) &&
             objects::has_labels(object, labels);
    });
  }

  // Whether an API group is served, by its CustomResourceDefinitions.
  Read group(const std::string& name) const {
    return first(all("CustomResourceDefinition", [&](const Json& object) {
      return text::text_member(text::member(object, "spec"), "group") == name;
    }));
  }

 private:
  ReadList all(const std::string& kind, const std::function<bool(const Json&)>& wanted) const {
    ReadList out{.found = Found::unknown, .items = {}, .why = "no " + kind + " in the snapshot"};
    if (listed_(kind)) out.found = Found::there;
    for (const Json& object : objects_) {
      if (text::text_member(object, "kind") != kind) continue;
      out.found = Found::there;
      if (wanted(object)) out.items.push_back(object);
    }
    return out;
  }

  static Read first(ReadList found) {
    if (!found.there()) return not_known(std::move(found.why));
    if (found.items.empty()) return {.found = Found::absent, .object = {}, .why = {}};
    return {.found = Found::there, .object = std::move(found.items.front()), .why = {}};
  }

  const std::vector<Json>& objects_;
  const KindsListed& listed_;
};

}  // namespace

const source::Reads& reads_of_doctor() {
  static const source::Reads reads{
      {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"},
      "no webhook configuration",
      {"ClusterRole",
       "ClusterRoleBinding",
       "Role",
       "RoleBinding",
       "Service",
       "EndpointSlice",
       "Deployment",
       "Pod",
       "NetworkPolicy",
       "PodDisruptionBudget",
       "ConfigMap",
       "Namespace",
       "ServiceAccount",
       "ResourceQuota",
       "PriorityClass",
       "FlowSchema",
       "PriorityLevelConfiguration",
       "PodMonitor",
       "Certificate",
       "CustomResourceDefinition"},
      "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations,"
      "clusterroles,clusterrolebindings,roles,rolebindings,services,endpointslices,deployments,"
      "pods,networkpolicies,poddisruptionbudgets,configmaps,namespaces,customresourcedefinitions,"
      "serviceaccounts,resourcequotas,priorityclasses,flowschemas,prioritylevelconfigurations "
      "-A -o json"};
  return reads;
}

View view_of(const std::vector<Json>& objects, const KindsListed& listed, const std::string& ns,
             std::chrono::system_clock::time_point now) {
  Snapshot snapshot(objects, listed);
  View view;
  view.now = now;
  view.ns = !ns.empty() ? ns : running::installation_namespace(our_configuration(snapshot).object);
  if (view.ns.empty()) view.ns = running::usual_namespace;
  view.ns_is_asked = !ns.empty();
  view.version = view.watch_list = not_known(not_in_a_file);
  read_objects(snapshot, view);
  view.releases.why = "Helm's records are Secrets, which a snapshot should not contain";
  // Not in the printed command, which would print nothing where the kind is not served.
  if (view.pod_monitor.found == Found::unknown &&
      snapshot.group("monitoring.coreos.com").found == Found::absent)
    view.pod_monitor = {.found = Found::absent, .object = {}, .why = {}};
  for (const Json& pod : view.pods.items)
    if (is_ready_pod(pod)) view.replicas.push_back({name_of_object(pod), not_known(not_in_a_file)});
  for (Served& api : view.apis) api.read = snapshot.group(api.group);
  return view;
}

}  // namespace tpuwh::server::doctor
