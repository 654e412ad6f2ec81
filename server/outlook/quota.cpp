#include "server/outlook/quota.hpp"

#include "server/outlook/help.hpp"
#include "server/outlook/words.hpp"
#include "server/text/json_text.hpp"
#include "topology/counted.hpp"
#include "webhook/pools/fit.hpp"
#include "webhook/text/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tpuwh::server::outlook {

namespace {

using topology::counted;

// One workload, its queue and what is said of them.
class Look {
 public:
  Look(const ClusterState& cluster, const WantedWorkload& workload, Taken& taken,
       WorkloadOutlook& out)
      : cluster_(cluster), workload_(workload), taken_(taken), out_(out) {}

  void run(const std::vector<Demand>& demands) {
    const LocalQueue* local = local_queue();
    if (local == nullptr) return;
    const ClusterQueue* queue = cluster_queue(*local);
    if (queue == nullptr) return;
    admission(*queue);
    for (const Demand& demand : demands) {
      resources(*queue, demand);
      flavors(*queue, demand);
    }
  }

 private:
  const LocalQueue* local_queue();
  const ClusterQueue* cluster_queue(const LocalQueue& local);
  void admission(const ClusterQueue& queue);
  void resources(const ClusterQueue& queue, const Demand& demand);
  void flavors(const ClusterQueue& queue, const Demand& demand);
  std::string why_not(const ClusterQueue& queue, const FlavorQuota& quota, const Demand& demand);
  std::uint64_t reserved(const FlavorQuota& quota) const;
  bool is_lent(const ClusterQueue& queue, const FlavorQuota& quota, std::uint64_t chips) const;
  void short_of(const ClusterQueue& queue, const std::vector<const FlavorQuota*>& fitting,
                std::uint64_t chips);

  void wait(std::string what, Help help) {
    out_.waits.push_back({Cause::quota, std::move(what), help.take()});
  }
  void stopped(std::string_view kind, std::string_view name, const std::string& policy);

  const ClusterState& cluster_;
  const WantedWorkload& workload_;
  Taken& taken_;
  WorkloadOutlook& out_;
  std::string name_;  // of the ClusterQueue
};

void Look::stopped(std::string_view kind, std::string_view name, const std::string& policy) {
  const bool local = kind == "LocalQueue";
  Help help;
  text::ShellCommand command("kubectl");
  if (local)
    command.words("-n").name(workload_.ns).words("patch localqueue");
  else
    command.words("patch clusterqueue");
  help.add(command.name(name).words(R"(--type=merge -p '{"spec":{"stopPolicy":"None"}}')"));
  wait(fmt::format("{} {} is stopped (stopPolicy: {})", kind, plain(name), plain(policy)),
       std::move(help));
}

const LocalQueue* Look::local_queue() {
  const std::string& name = workload_.queue;
  const auto found = cluster_.local_queues.find({workload_.ns, name});
  if (found != cluster_.local_queues.end()) {
    if (!found->second.stopped.empty()) stopped("LocalQueue", name, found->second.stopped);
    return &found->second;
  }
  if (!cluster_.knows_local_queues) {
    out_.not_known.push_back(
        fmt::format("quota: LocalQueue {}/{} was not read, so what Kueue has left is not known",
                    plain(workload_.ns), plain(name)));
    return nullptr;
  }
  std::vector<std::string> there;
  for (const auto& [key, queue] : cluster_.local_queues)
    if (key.first == workload_.ns) there.push_back(plain(key.second));
  Help help;
  help.add(text::ShellCommand("kubectl get localqueues -A"));
  wait(fmt::format("queue {} is named, but namespace {} has no LocalQueue of that name{}",
                   plain(name), plain(workload_.ns),
                   there.empty() ? "" : fmt::format("; it has {}", fmt::join(there, ", "))),
       std::move(help));
  return nullptr;
}

const ClusterQueue* Look::cluster_queue(const LocalQueue& local) {
  name_ = local.cluster_queue;
  const auto found = cluster_.cluster_queues.find(name_);
  if (found != cluster_.cluster_queues.end()) return &found->second;
  if (!cluster_.knows_cluster_queues) {
    out_.not_known.push_back(fmt::format(
        "quota: ClusterQueue {} was not read, so how many chips it has left is not known",
        plain(name_)));
    return nullptr;
  }
  Help help;
  help.add(text::ShellCommand("kubectl get clusterqueues"));
  wait(fmt::format("LocalQueue {} leads to ClusterQueue {}, which is not there",
                   plain(workload_.queue), plain(name_)),
       std::move(help));
  return nullptr;
}

// Whether it admits anything, and anything of this namespace.
void Look::admission(const ClusterQueue& queue) {
  Help help;
  help.add(text::ShellCommand("kubectl describe clusterqueue").name(name_));
  if (!queue.stopped.empty())
    stopped("ClusterQueue", name_, queue.stopped);
  else if (!queue.inactive.empty())
    wait(fmt::format("ClusterQueue {} is not active: {}", plain(name_),
                     webhook::text::printable(queue.inactive, 200)),
         help);
  if (queue.namespaces == Namespaces::none)
    wait(fmt::format("ClusterQueue {} admits from no namespace: it has no namespaceSelector",
                     plain(name_)),
         help);
  if (queue.namespaces == Namespaces::some)
    out_.not_known.push_back(
        fmt::format("quota: whether the namespaceSelector of ClusterQueue {} matches namespace {}",
                    plain(name_), plain(workload_.ns)));
  if (!queue.checks.empty())
    out_.not_known.push_back(
        fmt::format("quota: what the admission checks of ClusterQueue {} say ({})", plain(name_),
                    plain(fmt::format("{}", fmt::join(queue.checks, ", ")))));
  if (queue.strict && queue.pending > 0)
    out_.not_known.push_back(
        fmt::format("quota: when the {} before it in ClusterQueue {} (StrictFIFO) are admitted",
                    counted(queue.pending, "workload"), plain(name_)));
}

std::set<std::string> asked_for(const nlohmann::ordered_json& pod) {
  std::set<std::string> out;
  const auto spec = text::member(pod, "spec");
  for (const char* list : {"containers", "initContainers"})
    for (const auto& container : text::member(spec, list))
      for (const char* kind : {"requests", "limits"}) {
        const auto all = text::member(text::member(container, "resources"), kind);
        if (!all.is_object()) continue;
        for (const auto& [resource, quantity] : all.items()) out.insert(resource);
      }
  return out;
}

// What a queue does not cover it never admits, but for what Kueue's configuration leaves out
// (resources.excludeResourcePrefixes).
void Look::resources(const ClusterQueue& queue, const Demand& demand) {
  std::set<std::string> uncovered = asked_for(demand.member->slice().member);
  std::erase_if(uncovered, [&](const std::string& resource) {
    return resource == webhook::read::key::tpu || queue.resources.contains(resource);
  });
  if (!uncovered.empty())
    out_.not_known.push_back(
        fmt::format("quota: whether Kueue leaves out {}, which the Pods ask for and ClusterQueue "
                    "{} does not cover; else it never admits them",
                    plain(fmt::format("{}", fmt::join(uncovered, ", "))), plain(name_)));
}

// Label keys that any flavor of the queue has: of a Pod's node selector Kueue compares these alone
// (pkg/scheduler/flavorassigner of kubernetes-sigs/kueue, ff69552).
bool names_key(const ClusterState& cluster, const ClusterQueue& queue, std::string_view key) {
  return std::ranges::any_of(queue.flavors, [&](const FlavorQuota& quota) {
    const auto flavor = cluster.flavors.find(quota.flavor);
    return flavor != cluster.flavors.end() &&
           std::ranges::find(flavor->second.labels, key, [](const auto& label) {
             return std::string_view(label.first);
           }) != flavor->second.labels.end();
  });
}

// Why the flavor's nodes are none for the Pods; "" where they are.
std::string Look::why_not(const ClusterQueue& queue, const FlavorQuota& quota,
                          const Demand& demand) {
  const auto found = cluster_.flavors.find(quota.flavor);
  if (found == cluster_.flavors.end())
    return cluster_.knows_flavors ? "there is no ResourceFlavor of that name" : "";
  const Flavor& flavor = found->second;
  for (const auto& selector : demand.member->pod().node_selector) {
    if (!names_key(cluster_, queue, selector.key)) continue;
    const auto label = std::ranges::find(
        flavor.labels, selector.key, [](const auto& each) { return std::string_view(each.first); });
    if (label == flavor.labels.end() || label->second != selector.value)
      return fmt::format("its nodes have {}, the Pods select {}={}",
                         label == flavor.labels.end()
                             ? fmt::format("no {}", plain(selector.key))
                             : fmt::format("{}={}", plain(selector.key), plain(label->second)),
                         plain(selector.key), plain(selector.value));
  }
  for (const auto& taint : flavor.taints)
    if (!flavor.tolerated.contains(taint.key) &&
        !tolerates(demand.member->pod().tolerations, taint))
      return fmt::format("its nodes have taint {}, which the Pods do not tolerate",
                         plain(taint.key));
  return {};
}

// With what earlier workloads of the input get.
std::uint64_t Look::reserved(const FlavorQuota& quota) const {
  const auto more = taken_.quota.find({name_, quota.flavor});
  return quota.reserved + (more == taken_.quota.end() ? 0 : more->second);
}

// Whether others of its cohort have borrowed what it would need.
bool Look::is_lent(const ClusterQueue& queue, const FlavorQuota& quota, std::uint64_t chips) const {
  if (queue.cohort.empty()) return false;
  std::uint64_t nominal = 0, used = chips;
  for (const auto& [name, other] : cluster_.cluster_queues)
    if (other.cohort == queue.cohort)
      for (const FlavorQuota& each : other.flavors)
        if (each.flavor == quota.flavor) {
          nominal += each.nominal;
          used += name == name_ ? reserved(each) : each.reserved;
        }
  return used > nominal;
}

void Look::flavors(const ClusterQueue& queue, const Demand& demand) {
  std::vector<const FlavorQuota*> fitting;
  std::string reasons;
  for (const FlavorQuota& quota : queue.flavors) {
    const std::string why = why_not(queue, quota, demand);
    if (why.empty())
      fitting.push_back(&quota);
    else
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", plain(quota.flavor), why);
  }
  if (fitting.empty()) {
    Help help;
    help.add(text::ShellCommand("kubectl describe clusterqueue").name(name_));
    help.add(text::ShellCommand("kubectl get resourceflavors -o yaml"));
    return wait(queue.flavors.empty()
                    ? fmt::format("ClusterQueue {} has no quota for google.com/tpu", plain(name_))
                    : fmt::format("no flavor of ClusterQueue {} has nodes for the Pods ({})",
                                  plain(name_), reasons),
                std::move(help));
  }
  if (!cluster_.knows_flavors)
    out_.not_known.push_back(
        "quota: ResourceFlavors were not read, so which of them has the nodes is not known");
  const auto enough = std::ranges::find_if(fitting, [&](const FlavorQuota* quota) {
    return reserved(*quota) + demand.chips <= quota->nominal;
  });
  if (enough == fitting.end()) return short_of(queue, fitting, demand.chips);
  if (is_lent(queue, **enough, demand.chips))
    out_.not_known.push_back(fmt::format(
        "quota: ClusterQueue {} has the chips, but others of cohort {} have borrowed them",
        plain(name_), plain(queue.cohort)));
  const auto flavor = cluster_.flavors.find((*enough)->flavor);
  if (flavor != cluster_.flavors.end() && !flavor->second.topology.empty())
    out_.not_known.push_back(
        fmt::format("quota: whether topology-aware scheduling of flavor {} finds nodes for it",
                    plain((*enough)->flavor)));
  taken_.quota[{name_, (*enough)->flavor}] += demand.chips;
}

void Look::short_of(const ClusterQueue& queue, const std::vector<const FlavorQuota*>& fitting,
                    std::uint64_t chips) {
  std::string what;
  bool may_borrow = false;
  for (const FlavorQuota* quota : fitting) {
    const std::uint64_t used = reserved(*quota);
    const std::uint64_t missing = used + chips - quota->nominal;
    may_borrow = may_borrow ||
                 (!queue.cohort.empty() && missing <= quota->borrowing_limit.value_or(missing));
    what += fmt::format("{}flavor {}: {} of {} are reserved, the workload needs {}: short by {}",
                        what.empty() ? "" : "; ", plain(quota->flavor), used,
                        counted(quota->nominal, "chip"), chips, counted(missing, "chip"));
  }
  const std::string text = fmt::format("ClusterQueue {}, {}", plain(name_), what);
  if (may_borrow)
    return out_.not_known.push_back(
        fmt::format("quota: {} in its own quota; whether it can borrow from cohort {}", text,
                    plain(queue.cohort)));
  Help help;
  help.add(
      text::ShellCommand("kubectl -n").name(workload_.ns).words("get workloads.kueue.x-k8s.io"));
  help.add(text::ShellCommand("kubectl describe clusterqueue").name(name_));
  help.add(text::ShellCommand("kubectl edit clusterqueue").name(name_));
  wait(text, std::move(help));
}

}  // namespace

void look_at_quota(const ClusterState& cluster, const WantedWorkload& workload,
                   const std::vector<Demand>& demands, Taken& taken, WorkloadOutlook& out) {
  if (!workload.queue.empty() && cluster.has_kueue)
    Look(cluster, workload, taken, out).run(demands);
}

}  // namespace tpuwh::server::outlook
