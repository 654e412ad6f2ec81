#include "kubectl/inspect/slices/audit.hpp"

namespace tpuwh::server::slices {

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
    check_driver(slice, findings);
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
