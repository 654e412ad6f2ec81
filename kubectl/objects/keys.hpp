// Keys of labels, annotations and resources that several tools read and no decision does: those are
// in webhook/read/vocabulary.hpp.
#pragma once

namespace tpuwh::server::objects::key {

// Of nodes.
inline constexpr const char* hostname = "kubernetes.io/hostname";
inline constexpr const char* zone = "topology.kubernetes.io/zone";
inline constexpr const char* region = "topology.kubernetes.io/region";
inline constexpr const char* gpu = "nvidia.com/gpu";

// Of what is installed.
inline constexpr const char* app_name = "app.kubernetes.io/name";
inline constexpr const char* app_version = "app.kubernetes.io/version";

// Of Pods, by their controllers.
inline constexpr const char* pod_template_hash = "pod-template-hash";
inline constexpr const char* controller_revision = "controller-revision-hash";
inline constexpr const char* controller_uid = "controller-uid";  // of a Job, the older spelling
inline constexpr const char* jobset_node_selector = "alpha.jobset.sigs.k8s.io/node-selector";
inline constexpr const char* jobset_job_key = "jobset.sigs.k8s.io/job-key";
inline constexpr const char* lws_revision = "leaderworkerset.sigs.k8s.io/template-revision-hash";

// Of a RayCluster: the kind of the object that made it.
inline constexpr const char* ray_originated_from = "ray.io/originated-from-crd";

}  // namespace tpuwh::server::objects::key
