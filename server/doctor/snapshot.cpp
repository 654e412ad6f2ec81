#include "server/doctor/snapshot.hpp"

#include "server/installation.hpp"
#include "server/kube/ledger_object.hpp"
#include "server/offline/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace tpuwh::server::doctor {

namespace {

constexpr auto not_in_a_file = "a snapshot does not say";

using Wanted = std::function<bool(const Json& object)>;

std::string name_of(const Json& object) {
  return text_member(member(object, "metadata"), "name");
}

std::string namespace_of(const Json& object) {
  return text_member(member(object, "metadata"), "namespace");
}

std::string label(const Json& object, const std::string& key) {
  return text_member(member(member(object, "metadata"), "labels"), key.c_str());
}

// "a=b,c=d", as pod_selector() writes it and ledger_label is.
bool has_labels(const Json& object, std::string_view selector) {
  while (!selector.empty()) {
    const std::string_view term = selector.substr(0, selector.find(','));
    const auto equals = term.find('=');
    if (equals == std::string_view::npos) return false;
    if (label(object, std::string(term.substr(0, equals))) != term.substr(equals + 1)) return false;
    selector.remove_prefix(std::min(term.size() + 1, selector.size()));
  }
  return true;
}

class Snapshot {
 public:
  explicit Snapshot(const std::vector<Json>& objects) : objects_(objects) {}

  ReadList all(const std::string& kind, const Wanted& wanted) const {
    ReadList out{.found = Found::unknown, .items = {}, .why = missing(kind)};
    for (const Json& object : objects_) {
      if (text_member(object, "kind") != kind) continue;
      out.found = Found::there;
      if (wanted(object)) out.items.push_back(object);
    }
    return out;
  }

  Read one(const std::string& kind, const std::string& ns, const std::string& name) const {
    ReadList found = all(kind, [&](const Json& object) {
      return name_of(object) == name && namespace_of(object) == ns;
    });
    return first(std::move(found));
  }

  // Whether an API group is served, by its CustomResourceDefinitions.
  Read group(const std::string& name) const {
    return first(all("CustomResourceDefinition", [&](const Json& object) {
      return text_member(member(object, "spec"), "group") == name;
    }));
  }

 private:
  static std::string missing(const std::string& kind) { return "no " + kind + " in the snapshot"; }

  static Read first(ReadList found) {
    if (!found.there()) return {.found = Found::unknown, .object = {}, .why = std::move(found.why)};
    if (found.items.empty()) return {.found = Found::absent, .object = {}, .why = {}};
    return {.found = Found::there, .object = std::move(found.items.front()), .why = {}};
  }

  const std::vector<Json>& objects_;
};

bool everything(const Json&) {
  return true;
}

void take_workload(const Snapshot& snapshot, View& view) {
  const std::string& ns = view.ns;
  view.service = snapshot.one("Service", ns, installed_name);
  view.endpoint_slices = snapshot.all("EndpointSlice", [&](const Json& object) {
    return namespace_of(object) == ns &&
           label(object, "kubernetes.io/service-name") == installed_name;
  });
  view.deployment = snapshot.one("Deployment", ns, installed_name);
  view.secret.why = view.pods.why =
      view.deployment.found == Found::absent ? "there is no Deployment" : view.deployment.why;
  if (!view.deployment.there()) return;
  const std::string secret = certificate_secret(view.deployment.object);
  view.secret = secret.empty() ? Read{.found = Found::absent, .object = {}, .why = {}}
                               : without_key(snapshot.one("Secret", ns, secret));
  const std::string selector = pod_selector(view.deployment.object);
  view.pods = snapshot.all("Pod", [&](const Json& object) {
    return namespace_of(object) == ns && has_labels(object, selector);
  });
  for (const Json& pod : view.pods.items)
    if (is_ready_pod(pod))
      view.replicas.push_back(
          {name_of(pod), {.found = Found::unknown, .object = {}, .why = not_in_a_file}});
}

}  // namespace

View view_of(const std::vector<Json>& objects, const std::string& ns,
             std::chrono::system_clock::time_point now) {
  const Snapshot snapshot(objects);
  View view;
  view.now = now;
  view.configuration = snapshot.one("MutatingWebhookConfiguration", "", installed_name);
  view.ns = !ns.empty() ? ns : installation_namespace(view.configuration.object);
  if (view.ns.empty()) view.ns = usual_namespace;
  view.version.why = view.watch_list.why = not_in_a_file;
  view.mutating = snapshot.all("MutatingWebhookConfiguration", everything);
  view.validating = snapshot.one("ValidatingWebhookConfiguration", "", installed_name);
  take_workload(snapshot, view);
  view.cluster_role = snapshot.one("ClusterRole", "", installed_name);
  view.cluster_role_binding = snapshot.one("ClusterRoleBinding", "", installed_name);
  view.role = snapshot.one("Role", view.ns, installed_name);
  view.role_binding = snapshot.one("RoleBinding", view.ns, installed_name);
  view.ledger = snapshot.all("ConfigMap", [&](const Json& object) {
    return namespace_of(object) == view.ns && has_labels(object, kube::ledger_label);
  });
  view.ray = snapshot.group("ray.io");
  view.jobset = snapshot.group("jobset.x-k8s.io");
  view.lws = snapshot.group("leaderworkerset.x-k8s.io");
  return view;
}

}  // namespace tpuwh::server::doctor
