// What explain makes of each field of the objects that it reads: one table, in four columns. A
// field that is in no row is one that is not looked at: nothing is taken for harmless in silence.
//
//   source  the schemas of the pins (tests/schemas holds the table to them): k8s.io/kubernetes
//           1.37 api/openapi-spec/swagger.json, the CRDs of JobSet, LeaderWorkerSet, KubeRay,
//           Kueue, Kubeflow Trainer and AppWrapper. No module has those of ComputeClass
//           (docs.cloud.google.com/kubernetes-engine/docs/reference/crds/computeclass, read
//           2026-11-26) and PathwaysJob (google/pathways-job api/v1, c0cc759)
#pragma once

#include <span>
#include <string_view>

namespace tpuwh::server::fields {

enum class Look {
  read,    // an answer of explain depends on it
  cannot,  // whatever it says, it cannot keep a slice from forming
  runs,    // what the container runs and mounts, and as whom: image, command, volumes, account
  unseen,  // it might matter, and nobody looks
  inside,  // no column: its fields are those of another type
};
const char* name(Look look);

// A field with all that is below it. No row stands below another one.
struct Row {
  std::string_view path;  // "dnsConfig.searches"; what is in a list or a map has no index
  Look look;
  std::string_view type = {};  // of `inside`: of the value, or of each in the list
};

struct Type {
  std::string_view name;  // "PodTemplate"; an object's is its kind
  // "core.v1.PodTemplateSpec", "kuberay:rayclusters#spec"; of several versions with a blank.
  std::string_view schema;
  // How a field of it is told: "Pod" begins a path anew, and "" goes on with where it stands.
  std::string_view told;
  std::span<const Row> rows;
};

std::span<const Type> pod_types();
std::span<const Type> batch_types();
std::span<const Type> apps_types();
std::span<const Type> ray_types();
std::span<const Type> queue_types();
std::span<const Type> compute_class_types();
std::span<const Type> wrapper_types();

}  // namespace tpuwh::server::fields
