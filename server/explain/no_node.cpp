#include "server/explain/no_node.hpp"

#include "server/explain/pod_json.hpp"
#include "server/text/quantity.hpp"
#include "topology/counted.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tpuwh::server::explain {

namespace {

using Json = nlohmann::ordered_json;
namespace key = webhook::read::key;

Finding no_node(std::string sentence, std::string fix) {
  return {.denied = false, .id = "no-node", .sentence = std::move(sentence), .fix = std::move(fix)};
}

bool has_value(const Json& values, const std::string& value) {
  return values.is_array() && std::ranges::find(values, Json(value)) != values.end();
}

bool matches(const Json& expression, const Json& labels) {
  const std::string label = text::text_member(expression, "key");
  const std::string op = text::text_member(expression, "operator");
  const Json* found = text::find_member(labels, label);
  const bool among = found != nullptr && found->is_string() &&
                     has_value(text::member(expression, "values"), found->get<std::string>());
  if (op == "In") return among;
  if (op == "NotIn") return !among;
  return op == "Exists" ? found != nullptr : op == "DoesNotExist" && found == nullptr;
}

// Whether a selector of labels finds Pods with these; none finds nothing, an empty one all.
bool finds(const Json& selector, const Json& labels) {
  if (!selector.is_object()) return false;
  const Json& wanted = text::member(selector, "matchLabels");
  if (wanted.is_object())
    for (const auto& [name, value] : wanted.items())
      if (value != text::text_member(labels, name)) return false;
  const Json& expressions = text::member(selector, "matchExpressions");
  return !expressions.is_array() ||
         std::ranges::all_of(expressions, [&](const Json& each) { return matches(each, labels); });
}

// Whose namespaces are others' is not looked at.
bool keeps_apart(const Json& pod, const Json& term) {
  return text::text_member(term, "topologyKey") == key::node_pool &&
         text::member(term, "namespaces").empty() &&
         finds(text::member(term, "labelSelector"), at(pod, {"metadata", "labels"}));
}

double amount(const Json& container, const char* list, std::string_view resource) {
  const Json& all = at(container, {"resources", list});
  const auto found = text::quantity_of(text::find_member(all, std::string(resource)));
  return found ? found->value : 0;
}

void find_apart(const Json& pod, const slices::SeenPod& seen, std::vector<Finding>& out) {
  const Json& terms = at(pod, {"spec", "affinity", "podAntiAffinity",
                               "requiredDuringSchedulingIgnoredDuringExecution"});
  if (!seen.multi_host() || !terms.is_array()) return;
  if (std::ranges::any_of(terms, [&](const Json& term) { return keeps_apart(pod, term); }))
    out.push_back(no_node(
        fmt::format("required podAntiAffinity keeps these Pods off one another's node pool, and "
                    "the {} hosts of a slice stand on one",
                    seen.hosts),
        "remove the term, or let it select Pods of other workloads"));
}

void find_gpus(const Json& pod, std::vector<Finding>& out) {
  for (const Json& each : at(pod, {"spec", "containers"}))
    if (amount(each, "limits", "nvidia.com/gpu") > 0)
      return out.push_back(
          no_node(fmt::format("container {} asks for nvidia.com/gpu, and no node has TPUs and GPUs",
                              text::text_member(each, "name")),
                  "run it in a Pod of its own"));
}

void find_larger_init(const Json& pod, const slices::SeenPod& seen, std::vector<Finding>& out) {
  for (const Json& each : at(pod, {"spec", "initContainers"})) {
    const double chips = amount(each, "limits", key::tpu);
    if (chips <= seen.chips || text::text_member(each, "restartPolicy") == "Always") continue;
    out.push_back(no_node(
        fmt::format("init container {} asks for {}, and the nodes of the slice have {}",
                    text::text_member(each, "name"),
                    topology::counted(static_cast<std::uint64_t>(chips), "chip"), seen.chips),
        "an init container needs none"));
  }
}

void find_requests_alone(const Json& pod, std::vector<Finding>& out) {
  for (const char* list : {"containers", "initContainers"})
    for (const Json& each : at(pod, {"spec", list}))
      if (amount(each, "requests", key::tpu) > 0 && amount(each, "limits", key::tpu) == 0)
        out.push_back({.denied = true,
                       .id = "TPU-412",
                       .sentence = fmt::format(
                           "container {} requests google.com/tpu without a limit, and the "
                           "API server refuses such a Pod",
                           text::text_member(each, "name")),
                       .fix = "set the same number as a limit"});
}

}  // namespace

std::vector<Finding> no_node_faults(const Json& pod, const slices::SeenPod& seen) {
  std::vector<Finding> out;
  find_requests_alone(pod, out);
  find_apart(pod, seen, out);
  find_gpus(pod, out);
  find_larger_init(pod, seen, out);
  return out;
}

}  // namespace tpuwh::server::explain
