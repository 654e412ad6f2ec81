#include "server/tools/inspect/slices/audit.hpp"

#include <array>

namespace tpuwh::server::slices {

std::span<const AuditCheck> audit_checks() {
  static constexpr std::array<AuditCheck, 25> checks = {{
      {"duplicate-worker-id", "two containers of a slice have the same TPU_WORKER_ID"},
      {"duplicate-member", "two Pods are the same member of a slice by their labels"},
      {"missing-worker-id", "a TPU container has no TPU_WORKER_ID"},
      {"worker-id-out-of-range", "a TPU_WORKER_ID is out of range for its slice"},
      {"unmutated", "a multi-host Pod has no TPU environment: it holds a slice that never forms"},
      {"identity-not-known", "nothing on a multi-host Pod says which member it is"},
      {"bad-shape", "the topology cannot be split into Pods with that many chips"},
      {"incomplete", "members, or whole slices of a job, are missing"},
      {"member-lost",
       "a member failed and was not replaced, or its node was deleted or is not ready, or a "
       "container "
       "beside keeps it from ending"},
      {"list-differs", "members have different TPU_WORKER_HOSTNAMES or TPU_PROCESS_ADDRESSES"},
      {"list-length", "a list does not have one entry per host or process"},
      {"list-entry", "entry i of a list does not name the Pod with id i"},
      {"process-port", "TPU_PROCESS_PORT is not the port in the process's own entry"},
      {"no-subdomain", "members have no DNS names"},
      {"no-service", "no headless Service has the name of the members' subdomain"},
      {"split-pools", "members of a slice are on several node pools"},
      {"shared-pool", "two multi-host slices are on one node pool"},
      {"unfit-pool", "a slice has begun on a node pool that cannot hold the rest of it"},
      {"chips-per-node", "a node has more or fewer chips than its Pod asks for"},
      {"stray-slice-key", "a Pod without chips carries the slice-key of a slice"},
      {"megascale-differs", "members or slices of a job disagree on MEGASCALE variables"},
      {"megascale-slices", "MEGASCALE_NUM_SLICES or MEGASCALE_SLICE_ID do not match the slices"},
      {"megascale-coordinator", "the coordinator is not host 0 of slice 0"},
      {"tpu-name-differs", "members of a slice have different TPU_NAMEs"},
      {"tpu-name-shared", "two slices have the same TPU_NAME"},
  }};
  return checks;
}

Audit audit(const Cluster& cluster, const std::vector<SliceReport>& slices) {
  Findings findings(cluster);
  for (const std::string& each : cluster.unreadable) findings.not_known(each);
  for (const SliceReport& slice : slices) {
    if (slice.staying.empty()) continue;
    check_lost(slice, findings);
    check_members(slice, findings);
    check_worker_ids(slice, findings);
    check_lists(slice, findings);
    check_services(slice, findings);
  }
  findings.fold("unmutated");
  check_lost_slices(slices, findings);
  check_pools(slices, findings);
  check_strays(slices, findings);
  check_jobs(slices, findings);
  check_tpu_names(slices, findings);
  return findings.take();
}

}  // namespace tpuwh::server::slices
