#include "kubectl/predict/explain/surroundings.hpp"

#include "kubectl/objects/label_selector.hpp"
#include "kubectl/predict/explain/no_node.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "kubectl/predict/explain/wanted.hpp"
#include "kubectl/predict/outlook/pod_sets.hpp"
#include "kubectl/text/near_miss.hpp"
#include "topology/catalog.hpp"
#include "webhook/read/body.hpp"
#include "webhook/read/vocabulary.hpp"
#include "webhook/validate/readiness.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tpuwh::server::explain {

namespace {

struct Kind {
  std::string_view name;
  bool namespaced;
};
constexpr std::array read_kinds{Kind{"Service", true},       Kind{"ResourceClaimTemplate", true},
                                Kind{"ResourceClaim", true}, Kind{"DeviceClass", false},
                                Kind{"ConfigMap", true},     Kind{"LocalQueue", true},
                                Kind{"ClusterQueue", false}, Kind{"ResourceFlavor", false},
                                Kind{"Topology", false},     Kind{"ComputeClass", false},
                                Kind{"PodGroup", true},      Kind{"PriorityClass", false},
                                Kind{"NetworkPolicy", true}};

// "readinessProbe of container a"; "" where the Pod is Ready as soon as it runs.
std::string ready_by(const Json& pod) {
  std::string text = text::dump_json(pod);
  const webhook::read::Body body(text);
  base::json::Reader in;
  std::string what;
  if (!in.start(body.bytes())) return {};
  return webhook::validate::read_readiness(in, in.mark(), what) ? what : std::string();
}

Finding fault(std::string sentence, std::string fix) {
  return {.denied = false,
          .id = ids::of_explain("no-service"),
          .sentence = std::move(sentence),
          .fix = fixes::Choice{std::move(fix)}};
}

// "v6e 4x4 Spot"
std::string priority_words(const Json& priority) {
  std::vector<std::string> words;
  const Json& tpu = at(priority, {"tpu"});
  for (const auto& part :
       {text::text_member(tpu, "type"), text::text_member(tpu, "topology"),
        text::text_member(priority, "machineType"), text::text_member(priority, "machineFamily")})
    if (!part.empty()) words.push_back(part);
  if (text::member(priority, "spot") == Json(true)) words.emplace_back("Spot");
  if (at(priority, {"flexStart", "enabled"}) == Json(true)) words.emplace_back("flex-start");
  if (text::member(priority, "reservations").is_object()) words.emplace_back("reserved");
  if (const Json& pools = text::member(priority, "nodepools"); pools.is_array()) {
    std::vector<std::string> names;
    for (const Json& each : pools)
      if (each.is_string()) names.push_back(each.get<std::string>());
    words.push_back(fmt::format("node pools {}", fmt::join(names, ", ")));
  }
  if (!words.empty()) return fmt::format("{}", fmt::join(words, " "));
  return priority.empty() ? "any node" : "other nodes";
}

// "v6e 4x4 Spot, then v6e 4x4"
std::string tried_words(const Json& priorities) {
  std::vector<std::string> words;
  for (const Json& each : priorities) words.push_back(priority_words(each));
  return fmt::format("{}", fmt::join(words, ", then "));
}

// Whether the nodes of a priority may be those of the Pod, as far as both say.
bool may_have(const Json& priority, const Json& pod) {
  namespace key = webhook::read::key;
  const Json& tpu = at(priority, {"tpu"});
  if (!tpu.is_object()) return true;
  const auto agree = [](const std::string& made, const std::string& wanted) {
    return made.empty() || wanted.empty() || made == wanted;
  };
  return agree(text::text_member(tpu, "type"), selector(pod, key::accelerator)) &&
         agree(text::text_member(tpu, "topology"), selector(pod, key::topology));
}

// Returns whether any limits or requests within `value` ask for chips.
bool asks_for_chips(const Json& value) {
  if (value.is_array()) return std::ranges::any_of(value, asks_for_chips);
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.items(), [](const auto& each) {
    const bool amounts = each.key() == "limits" || each.key() == "requests";
    return (amounts && each.value().is_object() &&
            std::ranges::any_of(
                each.value().items(),
                [](const auto& amount) { return webhook::read::asks_for_chips(amount.key()); })) ||
           asks_for_chips(each.value());
  });
}

// A priority that names node pools does without new ones.
bool makes_pools(const Json& spec) {
  if (at(spec, {"nodePoolAutoCreation", "enabled"}) != Json(false)) return true;
  return std::ranges::any_of(text::member(spec, "priorities"), [](const Json& each) {
    return text::member(each, "nodepools").is_array();
  });
}

// DRANET's device class (docs/facts.md#dranet), asked for by one of a claim's requests.
bool asks_for_network(const Json& claim_template) {
  for (const Json& request : at(claim_template, {"spec", "spec", "devices", "requests"})) {
    const Json& exactly = text::member(request, "exactly");
    if (text::text_member(exactly.is_object() ? exactly : request, "deviceClassName") ==
        "netdev.google.com")
      return true;
  }
  return false;
}

// What all priorities have under tpu; else "".
std::string only(const Json& priorities, const char* member) {
  std::string out;
  for (const Json& each : priorities) {
    const std::string value = text::text_member(at(each, {"tpu"}), member);
    if (value.empty() || (!out.empty() && value != out)) return {};
    out = value;
  }
  return out;
}

}  // namespace

bool is_read_beside(std::string_view kind) {
  return std::ranges::find(read_kinds, kind, &Kind::name) != read_kinds.end();
}

bool makes_pods_unread(const Json& object) {
  // Those that wrappers has are others' of the same name here.
  static constexpr std::array<std::string_view, 22> kinds{"DaemonSet",
                                                          "ReplicationController",
                                                          "PathwaysJob",
                                                          "TrainJob",
                                                          "PyTorchJob",
                                                          "JAXJob",
                                                          "TFJob",
                                                          "MPIJob",
                                                          "XGBoostJob",
                                                          "AppWrapper",
                                                          "InferenceService",
                                                          "InferenceGraph",
                                                          "ServingRuntime",
                                                          "ClusterServingRuntime",
                                                          "LLMInferenceService",
                                                          "LLMInferenceServiceConfig",
                                                          "DisaggregatedSet",
                                                          "Workflow",
                                                          "CronWorkflow",
                                                          "WorkflowTemplate",
                                                          "ClusterWorkflowTemplate",
                                                          "PodTemplate"};
  return std::ranges::find(kinds, text::text_member(object, "kind")) != kinds.end() ||
         asks_for_chips(object);
}

Surroundings::Surroundings(std::span<const source::Manifest> manifests, const std::string& ns) {
  for (const source::Manifest& each : manifests) {
    const auto kind =
        std::ranges::find(read_kinds, text::text_member(each.object, "kind"), &Kind::name);
    if (kind == read_kinds.end()) continue;
    const std::string where = kind->namespaced ? namespace_of(each.object, ns) : "";
    by_kind_[std::string(kind->name)]
            [{where, text::text_member(at(each.object, {"metadata"}), "name")}] = &each.object;
  }
}

std::string Surroundings::class_of_resource(const std::string& resource) const {
  constexpr std::string_view prefix = webhook::read::key::class_resource;
  if (resource.starts_with(prefix)) return resource.substr(prefix.size());
  const auto classes = by_kind_.find("DeviceClass");
  if (classes == by_kind_.end()) return {};
  for (const auto& [name, each] : classes->second)
    if (text::text_member(at(*each, {"spec"}), "extendedResourceName") == resource)
      return name.second;
  return {};
}

const Json* Surroundings::find(std::string_view kind, const std::string& ns,
                               const std::string& name) const {
  const auto of_kind = by_kind_.find(kind);
  if (of_kind == by_kind_.end()) return nullptr;
  const auto found = of_kind->second.find({ns, name});
  return found == of_kind->second.end() ? nullptr : found->second;
}

std::vector<Finding> Surroundings::service_faults(const Json& pod,
                                                  const slices::SeenPod& seen) const {
  if (!seen.multi_host() || seen.subdomain.empty() || makes_its_service(seen)) return {};
  const Json* service = find("Service", seen.ns, seen.subdomain);
  const std::string wanted = fmt::format("headless Service {}/{}", seen.ns, seen.subdomain);
  const std::string how = fmt::format(
      "create Service {} with clusterIP: None, publishNotReadyAddresses: true and a selector of "
      "these Pods",
      seen.subdomain);
  if (service == nullptr) {
    std::vector<std::string> names;
    if (const auto all = by_kind_.find("Service"); all != by_kind_.end())
      for (const auto& [name, object] : all->second)
        if (name.first == seen.ns) names.push_back(name.second);
    // What is there is probably meant: of one Service the name, of several the nearest.
    const std::string near =
        names.size() == 1 ? names.front() : text::closest(seen.subdomain, names);
    return {fault(fmt::format("the hosts find each other by {}, which is not in the input{}",
                              wanted, near.empty() ? "" : fmt::format("; it has Service {}", near)),
                  how)};
  }
  if (text::text_member(at(*service, {"spec"}), "clusterIP") != "None")
    return {fault(
        fmt::format("the hosts find each other by {}, but that Service is not headless", wanted),
        fmt::format("set clusterIP: None in Service {}", seen.subdomain))};
  const Json& labels = at(pod, {"metadata", "labels"});
  if (!objects::selects(*service, labels))
    return {fault(
        fmt::format("{} does not select these Pods, so no host resolves", wanted),
        fmt::format("give Service {} a selector of labels that the Pods have", seen.subdomain))};
  if (text::member(at(*service, {"spec"}), "publishNotReadyAddresses") == Json(true)) return {};
  const std::string by = ready_by(pod);
  if (by.empty()) return {};
  return {fault(fmt::format("{} resolves only Pods that are Ready, which is decided by {}: a "
                            "program that waits for the other hosts never becomes Ready",
                            wanted, by),
                fmt::format("set publishNotReadyAddresses: true in Service {}", seen.subdomain))};
}

const Json* Surroundings::class_of(const Json& pod) const {
  const auto name = selector(pod, webhook::read::key::compute_class);
  return name.empty() ? nullptr : find("ComputeClass", "", name);
}

std::optional<Json> Surroundings::with_shape_of_class(const Json& pod) const {
  namespace key = webhook::read::key;
  const Json* found = class_of(pod);
  if (found == nullptr || !selector(pod, key::topology).empty()) return std::nullopt;
  const Json& priorities = at(*found, {"spec", "priorities"});
  const std::string shape = priorities.is_array() ? only(priorities, "topology") : "";
  const std::string accelerator = priorities.is_array() ? only(priorities, "type") : "";
  const auto dims = topology::Dims::parse(shape);
  const auto asked = outlook::requests_of(pod);
  const auto chips = asked.find(std::string(key::tpu));
  if (!dims || accelerator.empty() || topology::traits_of(accelerator).ids_by_webhook ||
      chips == asked.end() || chips->second != static_cast<double>(dims->chips()))
    return std::nullopt;
  Json out = pod;
  Json& selectors = out["spec"]["nodeSelector"];
  selectors[key::topology] = shape;
  selectors.emplace(std::string(key::accelerator), accelerator);
  return out;
}

bool Surroundings::claims_networks(const Json& pod, const std::string& ns) const {
  for (const Json& claim : at(pod, {"spec", "resourceClaims"})) {
    const Json* found =
        find("ResourceClaimTemplate", ns, text::text_member(claim, "resourceClaimTemplateName"));
    if (found != nullptr && asks_for_network(*found)) return true;
  }
  return false;
}

std::optional<Finding> Surroundings::class_fault(const Json& pod) const {
  const Json* found = class_of(pod);
  if (found == nullptr) return std::nullopt;
  const Json& spec = at(*found, {"spec"});
  const Json& priorities = text::member(spec, "priorities");
  if (!priorities.is_array() || priorities.empty() ||
      text::text_member(spec, "whenUnsatisfiable") == "ScaleUpAnyway" ||
      std::ranges::any_of(priorities, [&](const Json& each) { return may_have(each, pod); }))
    return std::nullopt;
  return no_node(
      fmt::format("ComputeClass {} makes no node that the Pods select: it tries {}",
                  selector(pod, webhook::read::key::compute_class), tried_words(priorities)),
      "select nodes that the class tries, or give the class a priority for the selected nodes");
}

// Those that the API server has from the start.
std::string Surroundings::missing_priority(const Json& pod) const {
  const std::string name = text::text_member(at(pod, {"spec"}), "priorityClassName");
  if (name.empty() || name.starts_with("system-") || find("PriorityClass", "", name) != nullptr)
    return {};
  return fmt::format("PriorityClass {} must exist, else no Pod is created; it is not in the input",
                     name);
}

std::vector<std::string> Surroundings::notes(const Json& pod) const {
  std::vector<std::string> out = class_notes(pod);
  if (std::string missing = missing_priority(pod); !missing.empty())
    out.push_back(std::move(missing));
  return out;
}

std::vector<std::string> Surroundings::class_notes(const Json& pod) const {
  const auto name = selector(pod, webhook::read::key::compute_class);
  const Json* found = class_of(pod);
  if (found == nullptr && !name.empty() && selector(pod, webhook::read::key::topology).empty())
    return {fmt::format("ComputeClass {} determines the nodes, and is not in the input", name)};
  if (found == nullptr) return {};
  const Json& priorities = at(*found, {"spec", "priorities"});
  if (!priorities.is_array()) return {};
  std::vector<std::string> out{
      fmt::format("ComputeClass {} tries {}", name, tried_words(priorities))};
  if (!makes_pools(at(*found, {"spec"})))
    out.push_back(fmt::format(
        "ComputeClass {} makes no node pool on a Standard cluster (nodePoolAutoCreation.enabled is "
        "false, and no priority names nodepools): one that matches must exist",
        name));
  const std::string shape = only(priorities, "topology");
  if (!shape.empty() && selector(pod, webhook::read::key::topology).empty())
    out.push_back(fmt::format(
        "all that it tries is {}: with node selector cloud.google.com/gke-tpu-topology: {} the "
        "hosts of a slice are known, and the variables are injected",
        shape, shape));
  return out;
}

}  // namespace tpuwh::server::explain
