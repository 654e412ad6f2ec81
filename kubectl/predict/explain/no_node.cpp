#include "kubectl/predict/explain/no_node.hpp"

#include "base/counted.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "kubectl/objects/quantity.hpp"
#include "kubectl/predict/explain/findings.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tpuwh::server::explain {

namespace {

namespace key = webhook::read::key;

bool keeps_apart(const Json& pod, const Json& term) {
  return text::text_member(term, "topologyKey") == key::node_pool &&
         objects::finds_its_own(pod, term);
}

bool keeps_on_one_node(const Json& pod, const Json& term) {
  return text::text_member(term, "topologyKey") == objects::key::hostname &&
         objects::finds_its_own(pod, term);
}

bool spreads(const Json& pod, const Json& constraint, std::uint32_t hosts) {
  const Json& skew = text::member(constraint, "maxSkew");
  return text::text_member(constraint, "topologyKey") == key::node_pool &&
         text::text_member(constraint, "whenUnsatisfiable") != "ScheduleAnyway" &&
         skew.is_number_unsigned() && skew.get<std::uint64_t>() < hosts &&
         objects::finds_its_own(pod, constraint);
}

double amount(const Json& container, const char* list, std::string_view resource) {
  const Json& all = at(container, {"resources", list});
  const auto found = objects::quantity_of(text::find_member(all, std::string(resource)));
  return found ? found->value : 0;
}

template <class F>
bool any_term(const Json& pod, const char* kind, F&& is) {
  const Json& terms =
      at(pod, {"spec", "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution"});
  return terms.is_array() &&
         std::ranges::any_of(terms, [&](const Json& term) { return is(pod, term); });
}

void find_apart(const Json& pod, const slices::SeenPod& seen, std::vector<Finding>& out) {
  if (!seen.multi_host()) return;
  if (any_term(pod, "podAntiAffinity", keeps_apart))
    out.push_back(no_node(fmt::format("required podAntiAffinity keeps these Pods off one another's "
                                      "node pool, but the {} hosts of a slice must be on one",
                                      seen.hosts),
                          "remove the term, or let it select Pods of other workloads"));
  if (any_term(pod, "podAffinity", keeps_on_one_node))
    out.push_back(no_node(fmt::format("required podAffinity keeps these Pods on one node, but a "
                                      "slice has {} hosts, each a node of its own",
                                      seen.hosts),
                          "remove the term, or let it name the node pool"));
  for (const Json& each : at(pod, {"spec", "topologySpreadConstraints"}))
    if (spreads(pod, each, seen.hosts))
      return out.push_back(no_node(
          fmt::format(
              "topologySpreadConstraints spread these Pods over node pools, but the {} hosts of a "
              "slice must be on one: if a second pool of the shape exists, the slice never forms",
              seen.hosts),
          "remove the constraint, or let it select Pods of other workloads"));
}

void find_gpus(const Json& pod, std::vector<Finding>& out) {
  for (const char* list : {"containers", "initContainers"})
    for (const Json& each : at(pod, {"spec", list}))
      if (amount(each, "limits", objects::key::gpu) > 0)
        return out.push_back(no_node(
            fmt::format("container {} asks for nvidia.com/gpu, but no node has both TPUs and GPUs",
                        text::text_member(each, "name")),
            "run it in a Pod of its own"));
}

void find_larger_init(const Json& pod, const slices::SeenPod& seen, std::vector<Finding>& out) {
  for (const Json& each : at(pod, {"spec", "initContainers"})) {
    const double chips = amount(each, "limits", key::tpu);
    if (chips <= seen.chips || text::text_member(each, "restartPolicy") == "Always") continue;
    out.push_back(
        no_node(fmt::format("init container {} asks for {}, and the nodes of the slice have {}",
                            text::text_member(each, "name"),
                            base::counted(static_cast<std::uint64_t>(chips), "chip"), seen.chips),
                "an init container needs none"));
  }
}

void find_other_requests(const Json& pod, std::vector<Finding>& out) {
  for (const char* list : {"containers", "initContainers"})
    for (const Json& each : at(pod, {"spec", list})) {
      const double asked = amount(each, "requests", key::tpu);
      const double most = amount(each, "limits", key::tpu);
      if (asked == 0 || asked == most) continue;
      const std::string of = most == 0
                                 ? "without a limit"
                                 : fmt::format("{} with a limit of {}", objects::go_number(asked),
                                               objects::go_number(most));
      out.push_back({.denied = true,
                     .id = id_of(webhook::findings::Finding::controller_refuses),
                     .sentence = fmt::format("container {} requests google.com/tpu {}, and the "
                                             "API server refuses such a Pod",
                                             text::text_member(each, "name"), of),
                     .fix = fixes::Choice{"set the same number as request and as limit"}});
    }
}

}  // namespace

Finding no_node(std::string sentence, std::string fix) {
  return {.denied = false,
          .id = ids::of_explain("no-node"),
          .sentence = std::move(sentence),
          .fix = fixes::Choice{std::move(fix)}};
}

std::vector<Finding> no_node_faults(const Json& pod, const slices::SeenPod& seen) {
  std::vector<Finding> out;
  find_other_requests(pod, out);
  find_apart(pod, seen, out);
  find_gpus(pod, out);
  find_larger_init(pod, seen, out);
  return out;
}

}  // namespace tpuwh::server::explain
