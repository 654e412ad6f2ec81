#include "kubectl/predict/expand/ray_services.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/expand/child.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tpuwh::server::expand {

namespace {

constexpr const char* serving_key = "ray.io/serve";
const char* const cluster_key = objects::key_of(webhook::read::Label::ray_cluster);
const char* const node_type_key = objects::key_of(webhook::read::Label::ray_node_type);

using Ports = std::map<std::string, std::uint64_t>;

// Those of the head's container, else Ray's; the one of metrics in any case.
Ports ports_of_head(const RayCluster& cluster) {
  Ports out;
  const Json& container = cluster.spec["headGroupSpec"]["template"]["spec"]["containers"][0];
  for (const Json& port : array_or_empty(container, "ports")) {
    const std::uint64_t number = count_or(port, "containerPort", 0);
    const std::string name = text::text_member(port, "name");
    out[name.empty() ? fmt::format("{}-port", number) : name] = number;
  }
  if (out.empty())
    out = {{"client", 10001}, {"dashboard", 8265}, {"gcs-server", 6379}, {"serve", 8000}};
  out.try_emplace("metrics", 8080);
  return out;
}

Ports ports_of_serve(const RayCluster& cluster) {
  Ports out = ports_of_head(cluster);
  std::erase_if(out, [](const auto& port) {
    return port.first != "serve" && !port.first.starts_with("serve-");
  });
  return out;
}

Json selector_of_head(const RayCluster& cluster) {
  const Json& group = cluster.spec["headGroupSpec"];
  const std::string app = label(group["template"], objects::key::app_name);
  return {{cluster_key, cluster.self.name},
          {node_type_key, "head"},
          {"ray.io/identifier", ray_identifier(cluster.self.name, "head")},
          {objects::key::app_name, app.empty() ? "kuberay" : app},
          {"app.kubernetes.io/created-by", "kuberay-operator"}};
}

// "" is the API server's default.
void set_type(Json& service, const RayCluster& cluster) {
  const std::string type = text::text_member(cluster.spec["headGroupSpec"], "serviceType");
  if (!service["spec"].contains("type") && !type.empty()) service["spec"]["type"] = type;
}

Json service_of_head(const RayCluster& cluster) {
  const std::string address = head_address(cluster);
  const Json& own = object_or_empty(cluster.spec["headGroupSpec"], "headService");
  Json out = begin_child(service_called(cluster.self.ns, address.substr(0, address.find('.'))),
                         cluster.self, object_or_empty(own, "metadata"));
  const Json selector = selector_of_head(cluster);
  for (const auto& [key, value] : selector.items())
    set_label(out, key.c_str(), value.get<std::string>());
  for (const auto& [key, value] : object_or_empty(cluster.spec, "headServiceAnnotations").items())
    if (value.is_string()) set_annotation(out, key.c_str(), value.get<std::string>());
  Json& spec = out["spec"] = object_or_empty(own, "spec");
  spec["selector"] = selector;
  for (const auto& [name, port] : ports_of_head(cluster))
    spec["ports"].push_back({{"name", name}, {"port", port}, {"appProtocol", "tcp"}});
  set_type(out, cluster);
  const std::string type = text::text_member(spec, "type");
  if (own.empty() && (type.empty() || type == "ClusterIP")) {
    spec["clusterIP"] = "None";
    spec["publishNotReadyAddresses"] = true;
  }
  return out;
}

Json service_of_workers(const RayCluster& cluster) {
  Json out =
      headless_service(service_called(cluster.self.ns, cluster.self.name + "-headless"),
                       cluster.self, {{cluster_key, cluster.self.name}, {node_type_key, "worker"}});
  set_label(out, "ray.io/headless-worker-svc", cluster.self.name);
  return out;
}

// The ports that the user describes stay as they are described.
Json ports_of(const Ports& found, const Json& own) {
  if (found.empty()) return array_or_empty(own, "ports");
  Json out = Json::array();
  for (const auto& [name, port] : found) {
    Json entry = {{"name", name}, {"port", port}};
    for (const Json& described : array_or_empty(own, "ports"))
      if (text::text_member(described, "name") == name) entry = described;
    out.push_back(std::move(entry));
  }
  return out;
}

// Nothing where no port is for it, which KubeRay refuses.
void add_service_of_serve(const Owner& maker, const Json& own, const RayCluster& cluster,
                          Children& out) {
  const Ports ports = ports_of_serve(cluster);
  if (ports.empty() && own.empty()) return;
  const Json& metadata = object_or_empty(own, "metadata");
  const std::string name = text::text_member(metadata, "name");
  Json service = begin_child(
      service_called(maker.ns, name.empty() ? maker.name + "-serve-svc" : name), maker, metadata);
  label_origin(service, maker);
  set_label(service, serving_key, maker.name + "-serve");
  Json& spec = service["spec"] = object_or_empty(own, "spec");
  spec["selector"] = {{cluster_key, cluster.self.name}};
  if (maker.kind == "RayService") spec["selector"][serving_key] = "true";
  spec["ports"] = ports_of(ports, object_or_empty(own, "spec"));
  set_type(service, cluster);
  out.list.push_back({.object = std::move(service), .may_exist = true});
}

bool has_workers_of_several_hosts(const RayCluster& cluster) {
  return std::ranges::any_of(
      array_or_empty(cluster.spec, "workerGroupSpecs"),
      [](const Json& group) { return count_or(group, "numOfHosts", 1) > 1; });
}

}  // namespace

void add_cluster_services(const RayCluster& cluster, Children& out) {
  out.list.push_back({.object = service_of_head(cluster)});
  if (has_workers_of_several_hosts(cluster))
    out.list.push_back({.object = service_of_workers(cluster)});
  const Json& asks = text::member(cluster.annotations, "ray.io/enable-serve-service");
  if (asks == "true") add_service_of_serve(cluster.self, Json::object(), cluster, out);
}

void add_service_services(const Owner& service, const Json& own, const RayCluster& cluster,
                          Children& out) {
  Json head = service_of_head(cluster);
  Json& metadata = head["metadata"];
  metadata["name"] = service.name + "-head-svc";
  metadata["ownerReferences"] = owner_references(service);
  metadata["labels"] = Json::object();
  label_origin(head, service);
  set_label(head, node_type_key, "head");
  set_label(head, "ray.io/identifier", ray_identifier(service.name, "head"));
  out.list.push_back({.object = std::move(head), .may_exist = true});
  add_service_of_serve(service, own, cluster, out);
}

}  // namespace tpuwh::server::expand
