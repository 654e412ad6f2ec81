// The head and the workers of a RayCluster as KubeRay builds them.
//   source  ray-project/kuberay ray-operator/controllers/ray/common/pod.go,
//           ray-operator/controllers/ray/utils/{constant,util}.go, v1.6.2
#pragma once

#include "kubectl/predict/expand/pod_template.hpp"

#include <string>

namespace tpuwh::server::expand {

// A RayCluster whose spec has been checked.
struct RayCluster {
  Owner self;
  Json annotations;  // of the object
  Json spec;
  std::string creator = "RayCluster";  // or RayJob, RayService
};

inline constexpr const char* kuberay_version = "v1.6.2";

// The labels by which KubeRay says whose object it is.
void label_origin(Json& object, const Owner& maker);

// "NAME-head", as long as the value of a label may be.
std::string ray_identifier(const std::string& name, const char* type);

// "NAME-head-svc.NS.svc.cluster.local", unless the user names the Service.
std::string head_address(const RayCluster& cluster);

Json head_pod(const RayCluster& cluster);
// A worker of a group, of any replica and host.
Json worker_pod(const RayCluster& cluster, const Json& group);

// The port that a container names so, or another.
std::uint64_t port_named(const Json& container, const char* name, std::uint64_t otherwise);

// Variables of a cluster with a token, if it has one.
void set_token(Json& container, const RayCluster& cluster);

}  // namespace tpuwh::server::expand
