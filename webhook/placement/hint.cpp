#include "webhook/placement/hint.hpp"

namespace tpuwh::webhook::placement {

namespace {

// Followers of an exclusive JobSet or LeaderWorkerSet are sent to their leader's pool.
bool chooses_the_pool(const workloads::Member& member) {
  return member.exclusive_topology.empty() || member.host.text == "0";
}

// Once: what was true when the Pod was created stays, or a second application of another replica,
// or a minute later, would change a Pod that has been answered.
bool is_first_application(const read::Pod& pod) {
  return !pod.has(read::Annotation::injected);
}

}  // namespace

void find_unfit_pools(const facts::Facts& facts, const Placement& placement,
                      const config::Config& config, const read::ClusterView& cluster,
                      base::NameList& out) {
  out.clear();
  const workloads::Member& member = *facts.member;
  if (!placement.terms() || placement.topology_key != read::key::node_pool ||
      !config.placement_hint_for(member.workload, facts.ns) || !chooses_the_pool(member) ||
      !is_first_application(*facts.pod))
    return;
  cluster.unfit_pools({.pod = *facts.pod,
                       .accelerator = facts.shape->accelerator,
                       .topology = facts.shape->topology,
                       .hosts = facts.slice.hosts,
                       .chips_per_host = facts.slice.chips_per_host,
                       .slice_key = base::view(placement.key),
                       .priority = facts.pod->priority},
                      out);
}

}  // namespace tpuwh::webhook::placement
