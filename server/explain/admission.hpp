// What Kueue writes into the Pods of a workload when it admits it.
#pragma once

#include "server/outlook/cluster_state.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::explain {

struct Admission {
  std::string queue, flavor;
  std::vector<std::pair<std::string, std::string>> labels;  // of the flavor's nodes
};

// By the first flavor of its queue, which is the first that Kueue tries; nothing where no queue is
// named or known, and for kinds of which Kueue holds the Pods and not the object: those are created
// without the flavor's selectors.
//
//   source  kubernetes-sigs/kueue pkg/podset (ff69552): node selectors are merged into templates
std::optional<Admission> admission_of(const nlohmann::ordered_json& object, const std::string& ns,
                                      const outlook::ClusterState& cluster);

// Selects what the Pod does not select yet.
void admit(nlohmann::ordered_json& pod, const Admission& admission);

}  // namespace tpuwh::server::explain
