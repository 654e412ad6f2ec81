// Pods of a RayCluster, and of the RayCluster of a RayService.
//   source  ray-project/kuberay ray-operator/controllers/ray/raycluster_controller.go,
//           rayservice_controller.go, v1.6.2
#pragma once

#include "kubectl/predict/expand/children.hpp"
#include "kubectl/predict/expand/ray_pod.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tpuwh::server::expand {

std::uint64_t count_ray_cluster(const Json& cluster);
Result<void> expand_ray_cluster(const Parent& cluster, const ExpandOptions& options,
                                const Visit& visit);

std::uint64_t count_ray_service(const Json& service);
Result<void> expand_ray_service(const Parent& service, const ExpandOptions& options,
                                const Visit& visit);

// Services; of a RayService first its RayCluster, and Services of its own.
Result<Children> children_of_ray_cluster(const Parent& cluster);
Result<Children> children_of_ray_service(const Parent& service);

// The RayCluster that another object makes, and what comes of it. Labels and annotations are that
// object's.
void add_made_cluster(const RayCluster& cluster, const Parent& maker, Children& out);

// Of a cluster that another object makes.
//
//   read_cluster   the RayCluster "OWNER-xxxxx" of the spec under `key` of `spec`
//   visit_cluster  head, then workers. Returns whether to go on
//   cluster_name_of  what it is called
std::string cluster_name_of(const Owner& owner);
std::uint64_t count_cluster_spec(const Json& spec);
std::optional<PodRange> worker_range(const Json& spec);

// The RayClusterSpec of a RayCluster, RayJob or RayService; null for another kind.
const Json* ray_cluster_spec(const Json& object);
Result<RayCluster> read_cluster(const Parent& maker, const char* key);
bool visit_cluster(const RayCluster& cluster, const ExpandOptions& options, const Visit& visit);

}  // namespace tpuwh::server::expand
