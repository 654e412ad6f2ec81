#include "kubectl/predict/outlook/pod_sets.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/pod_resources.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::server::outlook {

namespace {

using text::member;

// KubeRay adds it to the Pod, and Kueue counts what the template has.
bool is_kuberays(const Json& pod, const Json& container) {
  const std::string name = text::text_member(container, "name");
  return (name == "wait-gcs-ready" || name == "autoscaler") &&
         !objects::label(pod, webhook::read::Label::ray_cluster).empty();
}

Json resources_alone(const Json& containers) {
  Json out = Json::array();
  for (const Json& each : containers) {
    Json kept;
    for (const char* key : {"name", "resources", "restartPolicy"})
      if (const Json* value = text::find_member(each, key)) kept[key] = *value;
    out.push_back(std::move(kept));
  }
  return out;
}

}  // namespace

std::map<std::string, double> requests_of(const Json& pod) {
  auto out = objects::requests_of_pod(
      pod, [&](const Json& container) { return !is_kuberays(pod, container); });
  std::erase_if(out, [](const auto& each) { return each.second <= 0; });
  return out;
}

std::string pod_set_name(const Json& pod) {
  using webhook::read::Label;
  for (const Label key : {Label::jobset_replicated_job, Label::ray_group})
    if (const std::string name = objects::label(pod, key); !name.empty()) return name;
  const std::string index = objects::label(pod, Label::lws_worker_index);
  return index.empty() ? "main" : index == "0" ? "leader" : "workers";
}

void add_to_pod_sets(const Json& pod, std::vector<PodSet>& sets) {
  const std::string name = pod_set_name(pod);
  auto found = std::ranges::find(sets, name, &PodSet::name);
  if (found == sets.end()) {
    sets.push_back({.name = name, .sample = {}, .count = 0, .each = {}});
    found = sets.end() - 1;
    found->sample.member = as_scheduled(pod);
    found->each = requests_of(pod);
  }
  ++found->count;
}

Json as_scheduled(const Json& pod) {
  Json out{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", member(pod, "metadata")}};
  // Appended: by its key each would be looked for among all before it.
  Json::object_t spec;
  for (const auto& [key, value] : member(pod, "spec").items()) {
    const bool containers = key == "containers" || key == "initContainers";
    if (containers && value.is_array())
      spec.emplace_back(key, resources_alone(value));
    else if (key != "volumes")
      spec.emplace_back(key, value);
  }
  if (!spec.empty()) out["spec"] = std::move(spec);
  return out;
}

}  // namespace tpuwh::server::outlook
