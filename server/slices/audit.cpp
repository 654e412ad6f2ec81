#include "server/slices/audit.hpp"

#include <array>

namespace tpuwh::server::slices {

std::span<const AuditCheck> audit_checks() {
  static constexpr std::array<AuditCheck, 22> checks = {{
      {"duplicate-worker-id", "a TPU_WORKER_ID is held twice in a slice"},
      {"duplicate-member", "two Pods are the same member of a slice by their labels"},
      {"missing-worker-id", "a TPU container has no TPU_WORKER_ID"},
      {"worker-id-out-of-range", "a TPU_WORKER_ID is no number below the slice's processes"},
      {"unmutated", "a multi-host Pod has no TPU environment: it holds a slice in silence"},
      {"identity-not-known", "nothing on a multi-host Pod says which member it is"},
      {"bad-shape", "the topology cannot be made of Pods with so many chips"},
      {"incomplete", "members, or whole slices of a job, are missing"},
      {"list-differs", "members have different TPU_WORKER_HOSTNAMES or TPU_PROCESS_ADDRESSES"},
      {"list-length", "a list has another length than the slice has hosts or processes"},
      {"list-entry", "entry i of a list is not the Pod whose id is i"},
      {"process-port", "TPU_PROCESS_PORT is not the port of the process's own entry"},
      {"no-subdomain", "members have no DNS names"},
      {"no-service", "there is no headless Service of the members' subdomain"},
      {"split-pools", "members of a slice stand on several node pools"},
      {"shared-pool", "two multi-host slices stand on one node pool"},
      {"chips-per-node", "a node has more or fewer chips than the Pod of it asks for"},
      {"megascale-differs", "members or slices of a job disagree on MEGASCALE variables"},
      {"megascale-slices", "MEGASCALE_NUM_SLICES or MEGASCALE_SLICE_ID do not count the slices"},
      {"megascale-coordinator", "the coordinator is not host 0 of slice 0"},
      {"tpu-name-differs", "members of a slice have different TPU_NAMEs"},
      {"tpu-name-shared", "two slices have one TPU_NAME"},
  }};
  return checks;
}

Audit audit(const Cluster& cluster, const std::vector<SliceReport>& slices) {
  Findings findings(cluster);
  for (const std::string& each : cluster.unreadable) findings.not_known(each);
  for (const SliceReport& slice : slices) {
    if (slice.members.empty()) continue;
    check_members(slice, findings);
    check_worker_ids(slice, findings);
    check_lists(slice, findings);
    check_services(slice, findings);
  }
  check_pools(slices, findings);
  check_jobs(slices, findings);
  check_tpu_names(slices, findings);
  return findings.take();
}

}  // namespace tpuwh::server::slices
