// The parts of propose.hpp, by what they look at.
#pragma once

#include "kubectl/fixes/propose.hpp"

#include <cstdint>

namespace tpuwh::server::fixes {

// A finding of an object that is to be mended.
struct Asked {
  const Subject& subject;
  const std::vector<std::string>& sentences;  // that are said under its id
  std::vector<PodTemplate> all;               // of the object
};

Edit set(Path path, Json value);
Edit removal(Path path, std::string what = {});

// ---- numbers of Pods

// Those of a template that are not so many: completions and parallelism, numOfHosts.
void set_pods(const PodTemplate& each, std::uint32_t hosts, Steps& steps);
Tiers size_proposals(const Asked& asked);
Tiers replicas_proposals(const Asked& asked);

// ---- accelerator, topology, chips

// Whether there are such nodes, as far as the catalog knows the accelerator: of others no number
// of Pods is right.
bool is_of_nodes(const PodTemplate& each);

Tiers chips_proposals(const Asked& asked);
Tiers missing_topology_proposals(const Asked& asked);
Tiers other_topology_proposals(const Asked& asked);
Tiers accelerator_proposals(const Asked& asked);
// Topologies of as many hosts as there are Pods.
Tier topologies_of_pods(const PodTemplate& each);

// ---- names and Services

Tiers subdomain_proposals(const Asked& asked);
Tiers service_proposals(const Asked& asked);

}  // namespace tpuwh::server::fixes
