// What becomes of a manifest: the Pods that its controllers would create
// (kubectl/predict/expand), each answered by the code of the server, and the slices that they
// form.
#pragma once

#include "base/result.hpp"
#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/inspect/source/object_source.hpp"
#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/wrappers/wrapper.hpp"
#include "kubectl/team_rules/rules.hpp"
#include "server/text/json.hpp"
#include "webhook/config/config.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace tpuwh::server::explain {

// Pods of one input that are looked at; ten times the largest slice there is. Beyond them the
// objects are named and not expanded.
inline constexpr std::uint64_t max_pods = 100'000;

struct ExplainRequest {
  std::span<const source::Manifest> manifests;
  std::string ns = "default";  // of objects that name none
  const webhook::config::Config& config;
  const team_rules::Rules* team_rules = nullptr;
  // Null where no cluster is asked: then only what the input says counts.
  source::ObjectSource* cluster = nullptr;
  // Called for each Pod as it would be stored; null for nobody.
  std::function<void(const Json& pod)> each_pod = nullptr;
  // Called for each Pod, with the object that makes it and what would be stored of it; null there
  // for one that would be refused.
  std::function<void(const Json& object, const Json& pod, const Json* after)> tell_pod = nullptr;
  // Kinds of a user that hold others or make Pods, beside those of wrappers::find_wrapper().
  std::span<const wrappers::Wrapper> rules = {};
};

// One Workload for each object that makes Pods, or is one, also where another one holds or makes it
// (kubectl/predict/wrappers), and one for each of these of which not everything is known; the
// other objects are read for what they
// say about these: Services, Kueue's queues and flavors, ResourceClaimTemplates, ComputeClasses.
//
//   errors  the cluster's
//   cost  some 0.5 ms for each Pod; memory for each Pod some hundred bytes, for each value that a
//         variable has its bytes once
Result<Explanation> explain(const ExplainRequest& request);

}  // namespace tpuwh::server::explain
