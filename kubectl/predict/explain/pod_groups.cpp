#include "kubectl/predict/explain/pod_groups.hpp"

#include "kubectl/objects/gang.hpp"
#include "kubectl/predict/explain/pod_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace tpuwh::server::explain {

std::optional<PodGroupWords> pod_group_words(const Json& pod, const Surroundings& beside) {
  const std::string name = objects::pod_group_of(pod);
  if (name.empty()) return std::nullopt;
  const Json* found =
      beside.find("PodGroup", text::text_member(at(pod, {"metadata"}), "namespace"), name);
  if (found == nullptr) return std::nullopt;
  std::vector<std::string> keys;
  for (const Json& each : at(*found, {"spec", "schedulingConstraints", "topology"}))
    keys.push_back(text::text_member(each, "key"));
  if (keys.empty())
    return PodGroupWords{
        .topology = false,
        .sentence = fmt::format("PodGroup {} has no topology constraint, so the terms of "
                                "tpu-webhook keep the slice together",
                                name)};
  return PodGroupWords{
      .topology = true,
      .sentence = fmt::format("PodGroup {} keeps its Pods on one domain of {}; with terms of "
                              "tpu-webhook beside it the scheduler may find no place",
                              name, fmt::join(keys, ", "))};
}

}  // namespace tpuwh::server::explain
