// What a decision may ask of the cluster. Without one (offline, or for a workload
// that needs none) every question is answered "not known".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::webhook {

class ClusterView {
 public:
  virtual ~ClusterView() = default;

  // Name of the headless Service that KubeRay made for the workers of `cluster`
  // (label ray.io/headless-worker-svc); nothing if it is not known.
  virtual std::optional<std::string> ray_headless_service(std::string_view ns,
                                                          std::string_view cluster) const = 0;
};

// Knows nothing.
class NoCluster final : public ClusterView {
 public:
  std::optional<std::string> ray_headless_service(std::string_view,
                                                  std::string_view) const override {
    return std::nullopt;
  }
};

}  // namespace tpuwh::webhook
