#include "kubectl/predict/outlook/quota.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/objects/quantity.hpp"
#include "kubectl/predict/outlook/flavor_fit.hpp"
#include "kubectl/predict/outlook/help.hpp"
#include "kubectl/predict/outlook/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace tpuwh::server::outlook {

namespace {

using fixes::Command;
using fixes::Verb;

using base::counted;

using Needs = std::map<std::string, double>;
using Need = Needs::value_type;

const Quota& quota_of(const FlavorQuota& quota, const std::string& resource) {
  static const Quota none;
  const auto found = quota.of.find(resource);
  return found == quota.of.end() ? none : found->second;
}

bool is_bytes(const std::string& resource) {
  return resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

// "16" chips or CPUs, "200Gi" of memory.
std::string bare(const std::string& resource, double amount) {
  constexpr double gibibyte = 1 << 30;
  return is_bytes(resource) ? objects::go_number(amount / gibibyte) + "Gi"
                            : objects::go_number(amount);
}

std::string unit_of(const std::string& resource) {
  return resource == webhook::read::key::tpu ? "chips" : plain(resource);
}

// "16 chips", "1 chip", "200Gi of memory", "100 of cpu"
std::string with_unit(const std::string& resource, double amount) {
  if (resource == webhook::read::key::tpu)
    return counted(static_cast<std::uint64_t>(amount), "chip");
  return fmt::format("{} of {}", bare(resource, amount), plain(resource));
}

// One workload, its queue and what is said of them.
class Look {
 public:
  Look(const ClusterState& cluster, const WantedWorkload& workload, Taken& taken,
       WorkloadOutlook& out)
      : cluster_(cluster), workload_(workload), taken_(taken), out_(out) {}

  void run(const std::vector<PodSet>& pod_sets) {
    const LocalQueue* local = local_queue();
    if (local == nullptr) return;
    const ClusterQueue* queue = cluster_queue(*local);
    if (queue == nullptr) return;
    admission(*queue);
    several_ = pod_sets.size() > 1;
    for (const PodSet& set : pod_sets) {
      resources(*queue, set);
      for (const ResourceGroup& group : queue->groups) flavors(*queue, group, set);
    }
  }

 private:
  const LocalQueue* local_queue();
  const ClusterQueue* cluster_queue(const LocalQueue& local);
  void admission(const ClusterQueue& queue);
  void resources(const ClusterQueue& queue, const PodSet& set);
  void flavors(const ClusterQueue& queue, const ResourceGroup& group, const PodSet& set);
  double reserved(const FlavorQuota& quota, const std::string& resource) const;
  bool is_lent(const ClusterQueue& queue, const FlavorQuota& quota, const Need& need) const;
  bool is_unread(const std::vector<const FlavorQuota*>& fitting, const Needs& needs);
  void take(const ClusterQueue& queue, const FlavorQuota& quota, const Needs& needs);
  void short_of(const ClusterQueue& queue, const std::vector<const FlavorQuota*>& fitting,
                const PodSet& set, const Needs& needs);
  std::string of_others(const FlavorQuota& quota, const std::string& resource) const;
  static std::string asks(const PodSet& set);
  Help help_with_queue() const;

  void wait(std::string what, Help help) {
    out_.waits.push_back({Cause::quota, std::move(what), help.take()});
  }
  void stopped(std::string_view kind, std::string_view name, const std::string& policy);

  const ClusterState& cluster_;
  const WantedWorkload& workload_;
  Taken& taken_;
  WorkloadOutlook& out_;
  std::string name_;                                           // of the ClusterQueue
  bool several_ = false;                                       // Pod sets
  std::map<std::pair<std::string, std::string>, double> own_;  // of it, by flavor and resource
};

void Look::stopped(std::string_view kind, std::string_view name, const std::string& policy) {
  const bool local = kind == "LocalQueue";
  Help help;
  help.add(Command::kubectl(Verb::patch, local ? workload_.ns : "")
               .of(local ? "localqueue" : "clusterqueue", name)
               .words(R"(--type=merge -p '{"spec":{"stopPolicy":"None"}}')"));
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
    out_.not_known.push_back(fmt::format(
        "quota: LocalQueue {}/{} was not read, so the rest of Kueue's quota is not known",
        plain(workload_.ns), plain(name)));
    return nullptr;
  }
  std::vector<std::string> there;
  for (const auto& [key, queue] : cluster_.local_queues)
    if (key.first == workload_.ns) there.push_back(plain(key.second));
  Help help;
  help.add(Command::kubectl(Verb::get).of("localqueues").words("-A"));
  wait(fmt::format("queue {} is named, but namespace {} has no LocalQueue of that name{}",
                   plain(name), plain(workload_.ns),
                   there.empty() ? "" : fmt::format("; it has {}", told(there, ", "))),
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
  help.add(Command::kubectl(Verb::get).of("clusterqueues"));
  wait(fmt::format("LocalQueue {} names ClusterQueue {}, which does not exist",
                   plain(workload_.queue), plain(name_)),
       std::move(help));
  return nullptr;
}

// Whether it admits anything, and anything of this namespace.
void Look::admission(const ClusterQueue& queue) {
  Help help;
  help.add(Command::kubectl(Verb::describe).of("clusterqueue", name_));
  if (!queue.stopped.empty())
    stopped("ClusterQueue", name_, queue.stopped);
  else if (!queue.inactive.empty())
    wait(fmt::format("ClusterQueue {} is not active: {}", plain(name_),
                     base::printable(queue.inactive, 200)),
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
        fmt::format("quota: the verdict of the admission checks of ClusterQueue {} ({})",
                    plain(name_), plain(fmt::format("{}", fmt::join(queue.checks, ", ")))));
  if (queue.strict && queue.pending > 0)
    out_.not_known.push_back(
        fmt::format("quota: when the {} before it in ClusterQueue {} (StrictFIFO) are admitted",
                    counted(queue.pending, "workload"), plain(name_)));
}

// What a queue does not cover it never admits, but for what Kueue's configuration leaves out
// (resources.excludeResourcePrefixes, quotaCheckStrategy).
void Look::resources(const ClusterQueue& queue, const PodSet& set) {
  std::vector<std::string> uncovered;
  for (const auto& [resource, amount] : set.each)
    if (queue.group_of(resource) == nullptr) uncovered.push_back(resource);
  if (uncovered.empty()) return;
  const std::string what = plain(fmt::format("{}", fmt::join(uncovered, ", ")));
  if (set.each.contains(std::string(webhook::read::key::tpu)) &&
      queue.group_of(webhook::read::key::tpu) == nullptr)
    return wait(fmt::format("ClusterQueue {} has no quota for google.com/tpu", plain(name_)),
                help_with_queue());
  out_.not_known.push_back(fmt::format(
      "quota: whether Kueue leaves out {}, which {} and ClusterQueue {} does not cover; "
      "else it never admits them",
      what, set.name == "main" ? "the Pods ask for" : asks(set), plain(name_)));
}

// "Pods of slice ask for"
std::string Look::asks(const PodSet& set) {
  return fmt::format("Pods of {} ask for", plain(set.name));
}

Help Look::help_with_queue() const {
  Help help;
  help.add(Command::kubectl(Verb::describe).of("clusterqueue", name_));
  return help;
}

// With what earlier Pod sets get.
double Look::reserved(const FlavorQuota& quota, const std::string& resource) const {
  const auto more = taken_.quota.find({name_, quota.flavor, resource});
  return quota_of(quota, resource).reserved + (more == taken_.quota.end() ? 0 : more->second);
}

// Whether others of its cohort have borrowed what it would need.
bool Look::is_lent(const ClusterQueue& queue, const FlavorQuota& quota, const Need& need) const {
  if (queue.cohort.empty()) return false;
  double nominal = 0, used = need.second;
  for (const auto& [name, other] : cluster_.cluster_queues) {
    if (other.cohort != queue.cohort) continue;
    const ResourceGroup* group = other.group_of(need.first);
    if (group == nullptr) continue;
    for (const FlavorQuota& each : group->flavors)
      if (each.flavor == quota.flavor) {
        nominal += quota_of(each, need.first).nominal;
        used += name == name_ ? reserved(each, need.first) : quota_of(each, need.first).reserved;
      }
  }
  return used > nominal;
}

void Look::flavors(const ClusterQueue& queue, const ResourceGroup& group, const PodSet& set) {
  const Needs needs = covered(set, group);
  if (needs.empty()) return;
  const Member member(set.sample, cluster_.prefix);
  std::vector<const FlavorQuota*> fitting;
  std::vector<std::string> reasons;
  for (const FlavorQuota& quota : group.flavors) {
    const std::string why = why_not(cluster_, quota.flavor, member);
    if (why.empty())
      fitting.push_back(&quota);
    else
      reasons.push_back(fmt::format("{}: {}", plain(quota.flavor), why));
  }
  if (fitting.empty()) {
    Help help = help_with_queue();
    help.add(Command::kubectl(Verb::get).of("resourceflavors").words("-o yaml"));
    return wait(group.flavors.empty()
                    ? fmt::format("ClusterQueue {} has no quota for {}", plain(name_),
                                  plain(needs.begin()->first))
                    : fmt::format("no flavor of ClusterQueue {} has nodes for the Pods ({})",
                                  plain(name_), told(reasons, "; ")),
                std::move(help));
  }
  if (!cluster_.knows_flavors)
    out_.not_known.push_back(
        "quota: ResourceFlavors were not read, so which of them has the nodes is not known");
  const auto enough = std::ranges::find_if(fitting, [&](const FlavorQuota* quota) {
    return std::ranges::all_of(needs, [&](const Need& need) {
      return reserved(*quota, need.first) + need.second <= quota_of(*quota, need.first).nominal;
    });
  });
  if (enough == fitting.end() && is_unread(fitting, needs)) return;
  if (enough == fitting.end()) return short_of(queue, fitting, set, needs);
  take(queue, **enough, needs);
}

// Of a template that nobody filled in.
bool Look::is_unread(const std::vector<const FlavorQuota*>& fitting, const Needs& needs) {
  for (const FlavorQuota* quota : fitting)
    for (const Need& need : needs) {
      const std::string& text = quota_of(*quota, need.first).not_a_quantity;
      if (text.empty()) continue;
      out_.not_known.push_back(fmt::format(
          "quota: how much flavor {} of ClusterQueue {} has of {}: nominalQuota is {}, not a "
          "quantity",
          plain(quota->flavor), plain(name_), plain(need.first), base::printable(text, 100)));
      return true;
    }
  return false;
}

void Look::take(const ClusterQueue& queue, const FlavorQuota& quota, const Needs& needs) {
  for (const Need& need : needs) {
    if (is_lent(queue, quota, need))
      out_.not_known.push_back(fmt::format(
          "quota: ClusterQueue {} has the {}, but others of cohort {} have borrowed them",
          plain(name_), unit_of(need.first), plain(queue.cohort)));
    taken_.quota[{name_, quota.flavor, need.first}] += need.second;
    own_[{quota.flavor, need.first}] += need.second;
  }
  const auto flavor = cluster_.flavors.find(quota.flavor);
  if (flavor != cluster_.flavors.end() && !flavor->second.topology.empty())
    out_.not_known.push_back(
        fmt::format("quota: whether topology-aware scheduling of flavor {} finds nodes for it",
                    plain(quota.flavor)));
}

// " (4 of them by other Pods of it)" of what is reserved.
std::string Look::of_others(const FlavorQuota& quota, const std::string& resource) const {
  const auto found = own_.find({quota.flavor, resource});
  return found == own_.end()
             ? ""
             : fmt::format(" ({} of them by its other Pods)", bare(resource, found->second));
}

void Look::short_of(const ClusterQueue& queue, const std::vector<const FlavorQuota*>& fitting,
                    const PodSet& set, const Needs& needs) {
  const std::string who =
      several_ ? fmt::format("Pods of {} need", plain(set.name)) : "the workload needs";
  std::vector<std::string> lacking;
  bool may_borrow = false;
  for (const FlavorQuota* quota : fitting) {
    bool may_borrow_all = !queue.cohort.empty();
    for (const auto& [resource, amount] : needs) {
      const Quota& own = quota_of(*quota, resource);
      const double used = reserved(*quota, resource);
      const double missing = used + amount - own.nominal;
      if (missing <= 0) continue;
      may_borrow_all = may_borrow_all && missing <= own.borrowing_limit.value_or(missing);
      lacking.push_back(fmt::format("flavor {}: {} of {} are reserved{}, {} {}: short by {}",
                                    plain(quota->flavor), bare(resource, used),
                                    with_unit(resource, own.nominal), of_others(*quota, resource),
                                    who, bare(resource, amount), with_unit(resource, missing)));
    }
    may_borrow = may_borrow || may_borrow_all;
  }
  const std::string text = fmt::format("ClusterQueue {}, {}", plain(name_), told(lacking, "; "));
  if (may_borrow)
    return out_.not_known.push_back(
        fmt::format("quota: {} in its own quota; whether it can borrow from cohort {}", text,
                    plain(queue.cohort)));
  Help help;
  help.add(Command::kubectl(Verb::get, workload_.ns).of("workloads.kueue.x-k8s.io"));
  help.add(Command::kubectl(Verb::describe).of("clusterqueue", name_));
  help.add(Command::kubectl(Verb::edit).of("clusterqueue", name_));
  wait(text, std::move(help));
}

}  // namespace

void look_at_quota(const ClusterState& cluster, const WantedWorkload& workload,
                   const std::vector<PodSet>& pod_sets, Taken& taken, WorkloadOutlook& out) {
  if (!workload.queue.empty() && cluster.has_kueue)
    Look(cluster, workload, taken, out).run(pod_sets);
}

}  // namespace tpuwh::server::outlook
