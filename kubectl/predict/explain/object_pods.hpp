// The Pods of one object: answered one after the other, and gathered into its slices.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/findings.hpp"
#include "kubectl/predict/explain/gather.hpp"
#include "kubectl/predict/explain/hindrances.hpp"
#include "kubectl/predict/explain/surroundings.hpp"
#include "kubectl/predict/outlook/outlook.hpp"
#include "kubectl/review/outcome.hpp"
#include "server/text/json.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::explain {

class ObjectPods {
 public:
  // `prefix` (Config::prefix) and `beside` outlive it.
  //   services_of_input  the Services of the input are all that count
  ObjectPods(std::string_view prefix, const Surroundings& beside, bool services_of_input)
      : prefix_(prefix), beside_(beside), services_of_input_(services_of_input) {}

  Findings findings;
  // Why the nodes of a Pod set are not known yet, by its name.
  std::map<std::string, std::string> not_decided;
  // Of a LeaderWorkerSet, whose webhook sets more: the variables that its templates set.
  std::optional<std::set<std::string>> variables;
  // The shape is not in the template, but the Pods have it of their ComputeClass.
  bool shape_of_class = false;

  void add_refused() { ++refused_; }
  void add_other() { ++others_; }
  // Of chips that nobody could count.
  void add_claiming(Claimed claimed);
  // A member of a slice.
  void add(const AnsweredPod& pod, outlook::WantedWorkload& wanted);

  void finish(Workload& workload);

 private:
  // What the first Pod of a group says of all.
  struct OfGroup {
    std::vector<std::string> placement;
    outlook::WantedSlice sample;       // its first slice
    bool dynamic = false;              // a slice made on demand, of blocks
    bool part = false;                 // of a larger slice
    bool networks = false;             // claimed beside the cluster's
    std::string no_pool;               // why none can be told
    std::set<std::string> jobs_apart;  // that JobSet keeps on node pools of their own
  };

  void add_hindrances(Hindrances hindrances);
  // Says also where its machines are too small.
  void make_pool(const OfGroup& of, Group& group);
  std::string why_no_pool(const Json& pod) const;
  // Where several Pods have the chips of one claim.
  void tell_shared(Workload& workload) const;

  const std::string_view prefix_;
  const Surroundings& beside_;
  const bool services_of_input_;
  Gatherer gatherer_;
  std::vector<OfGroup> groups_;
  std::vector<std::string> notes_;
  std::vector<Claimed> claimed_;
  std::map<std::string, std::uint64_t> named_;  // Pods by the ResourceClaim that they name
  std::set<std::string> told_;                  // of hindrances
  std::uint64_t refused_ = 0, others_ = 0;
  bool told_jax_ = false;        // of one member
  bool group_is_plain_ = false;  // a PodGroup of the input, without a topology constraint
};

}  // namespace tpuwh::server::explain
