// What Kueue writes into the Pods of a workload when it admits it.
#pragma once

#include "kubectl/predict/outlook/outlook.hpp"
#include "server/text/json.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::explain {

struct Admission {
  struct OfPodSet {
    std::string flavor;
    std::vector<std::pair<std::string, std::string>> labels;  // of the flavor's nodes
  };
  std::string queue;
  std::map<std::string, OfPodSet> pod_sets;  // by name
  // Pod sets with chips that may get one of several flavors, whose nodes are others.
  std::map<std::string, std::vector<std::string>> open;

  // "as Kueue admits it from queue team, with flavors v6e and cpu"
  std::string words() const;
  // Why the nodes of an open Pod set are not known.
  std::map<std::string, std::string> not_decided() const;
};

// By the only flavor of its queue that each Pod set can ever have: Pod sets for which there are
// several, or none, are left out. Nothing where no queue is named or known, and for kinds of which
// Kueue holds the Pods and not the object: those are created without the flavor's selectors.
//
//   source  kubernetes-sigs/kueue pkg/podset (ff69552): node selectors are merged into templates
std::optional<Admission> admission_of(const Json& object, const std::string& ns,
                                      const outlook::ClusterState& cluster,
                                      const std::vector<outlook::PodSet>& pod_sets);
// Whether it may: a cheap look, before the Pod sets are counted.
bool may_be_admitted(const Json& object, const std::string& ns,
                     const outlook::ClusterState& cluster);

// Selects what the Pod does not select yet.
void admit(Json& pod, const Admission& admission);

}  // namespace tpuwh::server::explain
