// The objects of an input that make no Pods and say something about those that do.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/predict/explain/explanation.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::explain {

// Whether anything is read of objects of this kind.
bool is_read_beside(std::string_view kind);
// Whether it makes Pods, or objects that do, which nobody expands here: by its kind, or since a
// container within asks for chips.
bool makes_pods_unread(const Json& object);

class Surroundings {
 public:
  // The manifests outlive it. `ns`: of objects that name none.
  Surroundings(std::span<const source::Manifest> manifests, const std::string& ns);

  // What keeps the hosts of the slice from finding each other: their headless Service is missing
  // in the input, is not headless, or selects other Pods. Nothing where their controller makes it.
  //
  //   pod  a member
  std::vector<Finding> service_faults(const Json& pod, const slices::SeenPod& seen) const;

  // The Pod with the selectors of the one shape that its ComputeClass tries, where that is one host
  // that the device plugin tells all: GKE makes the nodes so. Nothing elsewhere.
  std::optional<Json> with_shape_of_class(const Json& pod) const;

  // Whether a claim of the Pod asks for network cards, by a template of the input.
  bool claims_networks(const Json& pod, const std::string& ns) const;
  // The ComputeClass that a Pod selects makes no node with the Pod's accelerator and topology.
  std::optional<Finding> class_fault(const Json& pod) const;

  // What else is known of what a Pod names, a sentence each: the priorities of its ComputeClass,
  // and that its PriorityClass is not in the input.
  std::vector<std::string> notes(const Json& pod) const;

  // Null where the input has none.
  //
  //   ns  "" of a kind that has none
  const Json* find(std::string_view kind, const std::string& ns, const std::string& name) const;
  // Returns the DeviceClass that defines a resource, by the resource name that contains the class
  // or by the resource name in a class of the input; "" if there is none.
  std::string class_of_resource(const std::string& resource) const;

 private:
  // The ComputeClass that the Pod selects; null where it selects none, or the input has it not.
  const Json* class_of(const Json& pod) const;
  std::vector<std::string> class_notes(const Json& pod) const;
  std::string missing_priority(const Json& pod) const;

  using Name = std::pair<std::string, std::string>;  // namespace, "" of what has none; name
  std::map<std::string, std::map<Name, const Json*>, std::less<>> by_kind_;
};

}  // namespace tpuwh::server::explain
