// Builds the input of kubectl/predict/outlook: the slices that an object would have. The module
// outlook predicts whether a cluster can run these slices.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/inspect/source/object_source.hpp"
#include "kubectl/predict/outlook/outlook.hpp"
#include "server/text/json.hpp"

#include <span>
#include <string>
#include <string_view>

namespace tpuwh::server::explain {

// JobSet, LeaderWorkerSet and KubeRay make the Service of their Pods themselves.
bool makes_its_service(const slices::SeenPod& seen);

outlook::WantedWorkload wanted_workload(const Json& object, const std::string& ns);

// One more slice, whose first Pod this is.
//
//   pod     as it would be stored; of it only what decides about nodes is kept
//   prefix  Config::prefix
void add_slice(outlook::WantedWorkload& workload, const Json& pod, const slices::SeenPod& seen,
               std::string_view prefix);

// The objects of an input as those of a cluster of which nothing else is known.
class InputObjects final : public source::ObjectSource {
 public:
  // The manifests outlive it.
  InputObjects(std::span<const source::Manifest> manifests, std::string ns)
      : manifests_(manifests), ns_(std::move(ns)) {}

  Result<void> for_each(const Each& each) override;

 private:
  std::span<const source::Manifest> manifests_;
  const std::string ns_;
};

}  // namespace tpuwh::server::explain
