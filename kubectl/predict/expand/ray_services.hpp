// The Services of a RayCluster and of a RayService as KubeRay builds them.
//   source  ray-project/kuberay ray-operator/controllers/ray/common/service.go,
//           raycluster_controller.go, rayservice_controller.go, v1.6.2
//
// Not the Gateway and the routes of a RayService's incremental upgrade.
#pragma once

#include "kubectl/predict/expand/children.hpp"
#include "kubectl/predict/expand/ray_pod.hpp"

namespace tpuwh::server::expand {

// Of a RayCluster: of its head, of the workers where a group has several hosts, of Serve where an
// annotation asks for it.
void add_cluster_services(const RayCluster& cluster, Children& out);

// What a RayService has beside those of its cluster: for its head, and for Serve.
//
//   own  spec.serveService; an empty object where there is none
void add_service_services(const Owner& service, const Json& own, const RayCluster& cluster,
                          Children& out);

}  // namespace tpuwh::server::expand
