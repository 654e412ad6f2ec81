#include "kubectl/predict/explain/ray_chips.hpp"

#include "kubectl/objects/quantity.hpp"
#include "kubectl/predict/expand/ray.hpp"
#include "kubectl/predict/expand/ray_start.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <string>

namespace tpuwh::server::explain {

namespace {

void look(const Json& group, const std::string& who, std::vector<Finding>& out) {
  const auto told = expand::stated_tpus(group);
  if (!told || *told == 0) return;
  const Json& containers = at(group, {"template", "spec", "containers"});
  if (!containers.is_array() || containers.empty()) return;
  const Json& container = containers.front();  // Ray's is the first
  const Json& limits = at(container, {"resources", "limits"});
  const std::string tpu(webhook::read::key::tpu);
  const auto asked = objects::quantity_of(text::find_member(limits, tpu));
  const double chips = asked ? asked->value : 0;
  // By claim the number is not in the container.
  if (*told == chips || !at(container, {"resources", "claims"}).empty()) return;
  out.push_back(
      {.denied = false,
       .id = ids::of_explain("ray-chips"),
       .sentence = fmt::format(
           "{}: resources report TPU: {} to Ray, but container {} asks for {} of google.com/tpu: "
           "Ray {}",
           who, objects::go_number(*told), text::text_member(container, "name"),
           objects::go_number(chips),
           *told > chips ? "gives tasks chips that do not exist" : "leaves the others idle"),
       .fix = fixes::Choice{
           "remove TPU from resources: KubeRay takes it from the container's limit"}});
}

}  // namespace

std::vector<Finding> ray_chip_faults(const Json& object) {
  std::vector<Finding> out;
  const Json* spec = expand::ray_cluster_spec(object);
  if (spec == nullptr) return out;
  look(at(*spec, {"headGroupSpec"}), "head group", out);
  for (const Json& group : at(*spec, {"workerGroupSpecs"}))
    look(group, "worker group " + text::text_member(group, "groupName"), out);
  return out;
}

}  // namespace tpuwh::server::explain
