#include "kubectl/predict/wrappers/table.hpp"

#include "kubectl/objects/api_version.hpp"
#include "kubectl/predict/wrappers/disaggregated_set.hpp"
#include "kubectl/predict/wrappers/pathways_job.hpp"
#include "kubectl/predict/wrappers/train_job.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>

namespace tpuwh::server::wrappers {

namespace {

Path path(std::string_view text) {
  return Path::parse(text).value();
}

const std::vector<Wrapper>& table() {
  static const std::vector<Wrapper> all{
      {.group = "workload.codeflare.dev",
       .kind = "AppWrapper",
       .resource = "appwrappers",
       .children = {path("spec.components[*].template")},
       .nests = false,
       .suspends = true},
      {.group = "", .kind = "List", .children = {path("items[*]")}},
      {.group = "trainer.kubeflow.org",
       .kind = "TrainJob",
       .resource = "trainjobs",
       .make = make_of_train_job},
      {.group = "trainer.kubeflow.org", .kind = "TrainingRuntime", .beside = true},
      {.group = "trainer.kubeflow.org", .kind = "ClusterTrainingRuntime", .beside = true},
      {.group = "pathways-job.pathways.domain",
       .kind = "PathwaysJob",
       .resource = "pathwaysjobs",
       .make = make_of_pathways_job},
      {.group = "disaggregatedset.x-k8s.io",
       .kind = "DisaggregatedSet",
       .resource = "disaggregatedsets",
       .also = "Service",
       .make = make_of_disaggregated_set},
  };
  return all;
}

}  // namespace

const Wrapper* find_wrapper(const Json& object, std::span<const Wrapper> own) {
  const std::string version = text::text_member(object, "apiVersion");
  const std::string kind = text::text_member(object, "kind");
  const std::string_view group = objects::split_api_version(version).group;
  const auto is_it = [&](const Wrapper& each) { return each.kind == kind && each.group == group; };
  if (version.empty()) return nullptr;
  if (const auto found = std::ranges::find_if(own, is_it); found != own.end()) return &*found;
  const auto found = std::ranges::find_if(table(), is_it);
  return found == table().end() ? nullptr : &*found;
}

std::vector<std::string> wrapper_kinds() {
  std::vector<std::string> out;
  for (const Wrapper& each : table())
    if (!each.beside && each.kind != "List") out.push_back(each.kind);
  return out;
}

}  // namespace tpuwh::server::wrappers
