// Objects of the cluster, as far as rules read them (webhook/read/reads.hpp): what a store keeps.
//
// Read from the JSON text of one object, as a list, a watch event or a file has it, with
// the reader's padding readable behind it. What cannot be read is passed over: it is not an object
// of an API server's.
#pragma once

#include "base/json/reader.hpp"
#include "server/kube/store/claim_reader.hpp"
#include "topology/next_member.hpp"
#include "webhook/pools/pools.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/read/pod.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::server::kube::store {

// A worker group of one RayCluster, by its uid: one of the same name is another.
struct GroupName {
  std::string ns, cluster, cluster_uid, group;
  auto operator<=>(const GroupName&) const = default;
};

// One Job of a JobSet.
struct JobName {
  std::string ns, jobset, replicated_job, job_index;
  auto operator<=>(const JobName&) const = default;
};

// A Ray worker that asks for chips: of another no rule reads anything.
struct RayWorker {
  GroupName group;
  std::string token;
  // By KubeRay's index labels, our token, or another injector's replicaIndex and
  // TPU_WORKER_ID.
  std::optional<topology::Place> place;
};

// The Pod with completion index 0 of a Job that JobSet places exclusively.
struct JobLeader {
  JobName job;
  std::string job_uid;
  std::string node;  // "" before it is bound
};

// The chips of a node that a Pod holds.
struct Holding {
  std::string node;
  webhook::pools::Holder holder;
};

struct PodObject {
  std::string uid;
  bool leaving = false;  // has a deletionTimestamp
  bool ended = false;    // Succeeded or Failed
  std::optional<RayWorker> ray;
  std::optional<JobLeader> leader;
  std::optional<Holding> holding;  // of one that is bound, neither leaving nor ended
};

// The label of a Service that KubeRay makes for a cluster's workers, with the cluster's name.
inline constexpr std::string_view headless_service_of = "ray.io/headless-worker-svc";

struct ServiceObject {
  std::string ns, name;
  std::string ray_cluster;  // whose workers it names; "" for other Services
  bool owned = false;       // by that RayCluster: KubeRay made it
};

struct RayClusterObject {
  std::string ns, name, uid;
  std::map<std::string, webhook::read::RayGroup, std::less<>> groups;
};

// On a ResourceClaim that Kubernetes has made from a template, with the name of the Pod's entry.
//   source  kubernetes 1.36.3 pkg/controller/resourceclaim/controller.go,
//   podResourceClaimAnnotation
inline constexpr std::string_view made_for_a_pod = "resource.kubernetes.io/pod-claim-name";

// A ResourceClaimTemplate, or a ResourceClaim.
struct ClaimObject {
  std::string ns, name;
  ClaimSpec spec;
  bool made = false;  // by Kubernetes, for one Pod: the Pod names the template
};

// Devices that a claim may ask for.
struct DeviceClassObject {
  std::string name;
  SelectedChips selected;
  std::string extended_resource = {};  // spec.extendedResourceName
};

// Keeps its buffers between objects. Not thread safe.
class ObjectReader {
 public:
  explicit ObjectReader(std::string prefix) : prefix_(std::move(prefix)) {}

  std::optional<PodObject> pod(std::string_view json);
  std::optional<webhook::pools::Node> node(std::string_view json);
  std::optional<ServiceObject> service(std::string_view json);
  std::optional<RayClusterObject> ray_cluster(std::string_view json);
  std::optional<ClaimObject> claim(std::string_view json);
  std::optional<ClaimObject> claim_template(std::string_view json);
  std::optional<DeviceClassObject> device_class(std::string_view json);

 private:
  std::optional<ClaimObject> read_claim(std::string_view json, bool of_template);

  std::string prefix_;  // Config::prefix
  base::json::Reader reader_;
  webhook::read::Pod pod_;
};

}  // namespace tpuwh::server::kube::store
