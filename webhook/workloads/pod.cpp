#include "webhook/workloads/pod.hpp"

namespace tpuwh::webhook::workloads {

namespace {

bool claims(const read::Pod&) {
  return true;
}

constexpr std::string_view cel = "true";

void identify(const WorkloadContext& context, Member& member) {
  const read::Pod& pod = context.pod;
  const bool owned = !pod.owner.kind.empty();
  member.kind = owned ? pod.owner.kind : "Pod";
  member.group = owned ? pod.owner.name : !pod.name.empty() ? pod.name : pod.generate_name;
  member.incomplete =
      pod.label(read::Label::ray_node_type) == "head"
          ? "the head of a RayCluster is one Pod, and not a host of the slice; give the chips to a "
            "worker group whose numOfHosts is the number of hosts of the slice"
          : "nothing on the Pod says which host of the slice it is; use an Indexed Job, a JobSet "
            "or a RayCluster, or annotations worker-id and hostnames";
}

// Whose Pods a ReplicaSet makes.
constexpr ObjectKind objects[] = {
    {.group = "apps", .versions = {"v1"}, .kind = "Deployment", .resource = "deployments"}};

}  // namespace

const Workload pod_workload{.name = "pod",
                            .kind = config::WorkloadKind::pod,
                            .claims = claims,
                            .cel = cel,
                            .identify = identify,
                            .makes_again = false,
                            .objects = objects};

}  // namespace tpuwh::webhook::workloads
