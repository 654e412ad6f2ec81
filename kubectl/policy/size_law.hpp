// The size law as policies: what the findings of /validate say of a topology, of the chips that
// Pods ask for in it, and of how many Pods there are, said by the API server itself, so that it
// holds while no replica lives. For Jobs, JobSets, RayClusters, RayJobs, RayServices,
// LeaderWorkerSets and StatefulSets; never for Pods.
//
// A policy refuses nothing that the webhook allows. It sees one object and no cluster, so it says
// nothing where a node affinity, a ComputeClass, annotations or Kueue have a say in the slice.
//
//   source  docs/governance.md#the-size-law-without-a-server
#pragma once

#include "kubectl/policy/policy.hpp"
#include "webhook/config/config.hpp"

#include <vector>

namespace tpuwh::server::policy {

// Of the workload APIs that the configuration handles, by its levels of findings for all
// namespaces: one policy for what it denies and one for what it warns of, where there is any. An
// API in shadow mode is warned of at most.
//
//   most   what follows at most, whatever the levels say
std::vector<Policy> size_law(const webhook::config::Config& config, Action most);

}  // namespace tpuwh::server::policy
