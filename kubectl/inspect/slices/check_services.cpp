// Whether the names of the members resolve: a hostname, a subdomain, its headless Service.
#include "base/names.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/recreate.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::slices {

namespace {

using base::printable;
using webhook::read::Variable;

bool lists_hosts(const SeenPod& pod) {
  for (const TpuProcess& process : pod.processes)
    if (!process[Variable::tpu_worker_hostnames].absent() ||
        !process[Variable::tpu_process_addresses].absent())
      return true;
  return false;
}

void find_unnamed(const SliceReport& slice, Findings& findings) {
  std::vector<const SeenPod*> unnamed;
  for (const SeenPod* pod : slice.staying)
    if (!pod->host_network && lists_hosts(*pod) &&
        (pod->subdomain.empty() || pod->hostname.empty()))
      unnamed.push_back(pod);
  if (unnamed.empty()) return;
  const bool subdomain = unnamed.front()->subdomain.empty();
  findings.error(
      "no-subdomain", slice, unnamed,
      fmt::format("{} {} no spec.{}, so they have no DNS names; expected a hostname, and the name "
                  "of a headless Service as subdomain",
                  names_of(unnamed), have(unnamed), subdomain ? "subdomain" : "hostname"),
      "set spec.subdomain in the Pod template to a headless Service that selects the "
      "Pods, then " +
          remake_hint(slice));
}

// A headless Service there whose name is the end of this one; "" for none.
std::string shortened(const SliceReport& slice, const std::string& name, const Cluster& cluster) {
  for (const auto& [id, service] : cluster.services)
    if (id.first == slice.ns && service.headless && !id.second.empty() &&
        name.size() > id.second.size() && name.ends_with(id.second))
      return id.second;
  return {};
}

// Operators make the Service of their Pods themselves.
std::string service_fix(const SliceReport& slice, const std::string& subdomain,
                        const Cluster& cluster) {
  const auto& workload = webhook::workloads::row_of(slice.staying.front()->workload);
  const std::string other = workload.kind == webhook::config::WorkloadKind::ray
                                ? shortened(slice, subdomain, cluster)
                                : std::string();
  if (!other.empty())
    return fmt::format(
        "KubeRay names it {}, shortened as by its versions up to 1.3; set "
        "--kuberay-truncated-service for tpu-webhook: {}",
        printable(other, 253), recreate_hint(slice));
  if (!workload.service_by.empty())
    return fmt::format("{} creates it for {} {}/{}: see its log for the reason why it has not",
                       workload.service_by, slice.kind, slice.ns, slice.group);
  return fmt::format(
      "create a headless Service {} (clusterIP: None, publishNotReadyAddresses: true) in namespace "
      "{} that selects the Pods{}",
      printable(subdomain, 100), slice.ns, workload.service_selects);
}

void find_unselected(const SliceReport& slice, const std::string& subdomain,
                     const std::vector<const SeenPod*>& pods, Findings& findings) {
  std::vector<const SeenPod*> others;
  for (const SeenPod* pod : pods)
    if (!pod->selected) others.push_back(pod);
  if (others.empty()) return;
  findings.error(
      "no-service", slice, others,
      fmt::format("headless Service {} does not select {}; expected a selector of labels that all "
                  "hosts have, else their names do not resolve",
                  printable(subdomain, 100), names_of(others)),
      fmt::format("set spec.selector of Service {} in namespace {} to labels of the Pods",
                  printable(subdomain, 100), slice.ns));
}

// Names of Pods that are not Ready do not resolve, and programs are not Ready before they do.
void find_unpublished(const SliceReport& slice, const std::string& subdomain,
                      const std::vector<const SeenPod*>& pods, Findings& findings) {
  std::vector<const SeenPod*> waiting;
  for (const SeenPod* pod : pods)
    if (!pod->ready && pod->life == Life::running) waiting.push_back(pod);
  const SeenService& service = findings.cluster().services.at({slice.ns, subdomain});
  if (service.publishes_all || waiting.empty()) return;
  findings.warn(
      "no-service", slice, waiting,
      fmt::format("headless Service {} publishes only the addresses of Ready Pods, and {} {} not "
                  "Ready; expected publishNotReadyAddresses: true, if they become Ready only once "
                  "all hosts have found each other",
                  printable(subdomain, 100), names_of(waiting), waiting.size() == 1 ? "is" : "are"),
      fmt::format("set spec.publishNotReadyAddresses of Service {} in namespace {} to true",
                  printable(subdomain, 100), slice.ns));
}

void find_service(const SliceReport& slice, const std::string& subdomain,
                  const std::vector<const SeenPod*>& pods, Findings& findings) {
  const Cluster& cluster = findings.cluster();
  const auto found = cluster.services.find({slice.ns, subdomain});
  const bool there = found != cluster.services.end();
  if (there && found->second.headless) {
    find_unselected(slice, subdomain, pods, findings);
    return find_unpublished(slice, subdomain, pods, findings);
  }
  // It was deleted together with what made the Pods, which follow: none, or not all of them yet.
  const bool ends = slice.staying.size() < slice.members.size() + slice.leaving.size();
  if (ends || std::ranges::all_of(pods, &SeenPod::orphan)) return;
  findings.error("no-service", slice, pods,
                 fmt::format("spec.subdomain of {} is {}, but {} in namespace {}; expected one, "
                             "else no host of the slice resolves",
                             names_of(pods), printable(subdomain, 100),
                             there ? "the Service of that name is not headless (clusterIP: None)"
                                   : "there is no Service of that name",
                             slice.ns),
                 there ? "delete the Service and create it with clusterIP: None"
                       : service_fix(slice, subdomain, cluster));
}

}  // namespace

void check_services(const SliceReport& slice, Findings& findings) {
  if (!slice.multi_host()) return;
  find_unnamed(slice, findings);
  std::map<std::string, std::vector<const SeenPod*>> by_subdomain;
  for (const SeenPod* pod : slice.staying)
    if (!pod->subdomain.empty()) by_subdomain[pod->subdomain].push_back(pod);
  if (by_subdomain.empty()) return;
  if (!findings.cluster().knows_services()) {
    findings.not_known("no Service is in the snapshot, so headless Services were not looked for");
    return;
  }
  for (const auto& [subdomain, pods] : by_subdomain) find_service(slice, subdomain, pods, findings);
}

}  // namespace tpuwh::server::slices
