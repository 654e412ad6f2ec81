#include "webhook/validate/lws.hpp"

#include "base/counted.hpp"
#include "webhook/identity/contradictions.hpp"
#include "webhook/validate/apps.hpp"
#include "webhook/validate/readiness.hpp"

#include <optional>
#include <string>

namespace tpuwh::webhook::validate {

namespace {

struct GroupTemplate {
  std::optional<std::uint32_t> size, subgroup_size, groups;
  std::string_view subgroup_policy, subdomain_policy, startup_policy;
  base::json::Reader::Mark leader, worker;
};

bool read_subgroups(base::json::Reader& in, GroupTemplate& group) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "subGroupSize") return in.first(seen, 0) && optional_number(in, group.subgroup_size);
    if (key == "subGroupPolicyType")
      return in.first(seen, 1) && base::json::optional_text(in, group.subgroup_policy);
    return in.skip();
  });
}

bool read_group(base::json::Reader& in, GroupTemplate& group) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "size") return in.first(seen, 0) && optional_number(in, group.size);
    if (key == "leaderTemplate") return in.first(seen, 1) && keep_place(in, group.leader);
    if (key == "workerTemplate") return in.first(seen, 2) && keep_place(in, group.worker);
    if (key == "subGroupPolicy") return in.first(seen, 3) && read_subgroups(in, group);
    return in.skip();
  });
}

bool read_network(base::json::Reader& in, GroupTemplate& group) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key != "subdomainPolicy") return in.skip();
    return in.first(seen, 0) && base::json::optional_text(in, group.subdomain_policy);
  });
}

// What a template asks for, to compare the leader's with the workers'.
struct Asked {
  std::string accelerator, topology;
  std::size_t containers = 0;
  std::uint64_t chips = 0;  // of each container

  explicit Asked(const facts::Shape& shape)
      : accelerator(shape.accelerator),
        topology(shape.topology),
        containers(shape.processes.size()),
        chips(containers == 0 ? 0 : shape.chips_per_container()) {}

  bool operator==(const Asked&) const = default;
  bool same_slices(const Asked& other) const {
    return accelerator == other.accelerator && topology == other.topology;
  }
  // "2 TPU containers of 2 chips"
  std::string text() const {
    return base::counted(containers, "TPU container") + " of " + base::counted(chips, "chip");
  }
};

constexpr std::string_view of_leader = "leaderWorkerTemplate.leaderTemplate",
                           of_worker = "leaderWorkerTemplate.workerTemplate";

class Group {
 public:
  Group(Checker& checker, const GroupTemplate& group)
      : checker_(checker),
        group_(group),
        size_(std::to_string(controllers::one_or(group.size))),
        subgroup_size_(group.subgroup_size ? std::to_string(*group.subgroup_size) : ""),
        leader_(checker.object().name + "-0") {}

  void check() {
    const std::uint64_t size = controllers::one_or(group_.size);
    if (group_.leader && checker_.open({"leader template"}, group_.leader, of_leader)) {
      leader_asks_ = true;
      decide_on(0, leader_);
      if (!check_template(checker_, group_.leader, "StatefulSet", of_leader)) return;
      leader_shape_.emplace(checker_.told().shape);
      leader_misfit_ = misfit();
    }
    if (checker_.reader().failed()) return;
    const bool workers = !group_.leader || size > 1;
    if (workers && checker_.open({"worker template"}, group_.worker, of_worker)) {
      check_workers();
    } else if (!leader_misfit_.empty()) {
      checker_.add(Finding::lws_size, leader_misfit_, Level::warn);
    }
  }

 private:
  // What the controller and LeaderWorkerSet's own webhook write on a Pod of group 0.
  void decide_on(unsigned index, const std::string& hostname) {
    const bool first = index == 0;
    checker_.label(read::Label::lws_name, checker_.object().name);
    checker_.label(read::Label::lws_group_index, "0");
    checker_.label(read::Label::lws_worker_index, first ? "0" : "1");
    checker_.annotation(read::Annotation::lws_size, size_);
    checker_.annotation(read::Annotation::lws_leader_requests_tpus, leader_asks_ ? "true" : "");
    checker_.annotation(read::Annotation::lws_subdomain_policy, group_.subdomain_policy);
    checker_.annotation(read::Annotation::lws_subgroup_size, subgroup_size_);
    checker_.annotation(read::Annotation::lws_subgroup_policy, group_.subgroup_policy);
    read::Pod& pod = checker_.pod();
    pod.owner = {"StatefulSet", leader_, {}};
    pod.hostname = hostname;
    // Where each group has a Service of its own, its name is made of the annotation.
    if (pod.subdomain.empty()) pod.subdomain = checker_.object().name;
    const outcome::Decision decision = checker_.decide();
    // The misfit is told once, for the group.
    if (misfit().empty()) checker_.report(decision);
  }

  std::string misfit() const {
    return checker_.slice() == nullptr ? "" : identity::group_misfit(checker_.told().facts);
  }

  // The workers' template is the leader's, too, where that has none.
  void check_workers() {
    if (!group_.leader) leader_asks_ = true;
    const Asked shape(checker_.told().shape);
    const bool alone = controllers::one_or(group_.size) == 1;
    const std::string second = leader_ + "-1";
    decide_on(alone ? 0 : 1, alone ? leader_ : second);
    if (!check_template(checker_, group_.worker, "StatefulSet", of_worker)) return;
    if (!alone) compare_processes(shape);
    if (!alone && !check_order()) return;
    if (!alone && group_.subgroup_size == 1u)
      checker_.add(Finding::lws_subgroups_of_one,
                   "subGroupSize is 1: LeaderWorkerSet before 0.10 writes the name of another Pod "
                   "into TPU_WORKER_HOSTNAMES of each worker (lws#917); groups of one Pod and more "
                   "replicas are the same without it");
    if (const topology::Slice* slice = checker_.slice(); slice != nullptr && slice->multi_host())
      checker_.add_slices(controllers::one_or(group_.groups));
    const std::string wrong = misfit();
    if (wrong.empty()) return;
    const bool one_shape = !leader_shape_ || *leader_shape_ == shape;
    const bool one_slice = !group_.subgroup_size;
    // Several subgroups, or a leader with other chips, may be more than one slice.
    if (one_shape && one_slice)
      checker_.wrong_size(Finding::lws_size, wrong);
    else
      checker_.add(Finding::lws_size, wrong, Level::warn);
  }

  // The workers are made when their leader, a host of the same slice, is Ready.
  bool check_order() {
    const bool excluded = group_.subgroup_size && group_.subgroup_policy == "LeaderExcluded";
    if (group_.startup_policy != "LeaderReady" || !leader_asks_ || excluded) return true;
    if (checker_.slice() == nullptr || !checker_.slice()->multi_host()) return true;
    std::string what;
    const bool read = group_.leader
                          ? read_readiness(checker_.reader(), group_.leader, what, of_leader)
                          : read_readiness(checker_.reader(), group_.worker, what, of_worker);
    if (!read) return false;
    if (!what.empty())
      checker_.add(
          Finding::made_when_ready,
          "startupPolicy is LeaderReady: the workers are created when the leader is Ready, which "
          "is decided by " +
              what + ", but " + hosts_by_arithmetic(*checker_.slice()) +
              ", of which the leader is one; startupPolicy: LeaderCreated creates all at once");
    return true;
  }

  // A Pod's list of processes takes every member to be like itself: it cannot know better. Where
  // the leader is another one in the same slice, the two lists differ.
  void compare_processes(const Asked& worker) {
    const bool excluded = group_.subgroup_size && group_.subgroup_policy == "LeaderExcluded";
    if (!leader_shape_ || excluded) return;
    if (checker_.slice() == nullptr || checker_.slice()->hosts == 1) return;
    const Asked& leader = *leader_shape_;
    if (!leader.same_slices(worker) || leader.containers == worker.containers) return;
    checker_.add(Finding::lws_templates_differ,
                 "the leader template has " + leader.text() + " and the worker template " +
                     worker.text() +
                     "; all members of a slice must have the same, else they read different "
                     "lists of processes and the slice never starts");
  }

  Checker& checker_;
  const GroupTemplate& group_;
  const std::string size_, subgroup_size_, leader_;
  bool leader_asks_ = false;
  std::optional<Asked> leader_shape_;
  std::string leader_misfit_;
};

}  // namespace

bool check_leader_worker_set(Checker& checker, base::json::Reader::Mark spec) {
  base::json::Reader& in = checker.reader();
  GroupTemplate group;
  const bool read = object_at(in, spec, [&](std::string_view key, base::json::Seen& seen) {
    if (key == "leaderWorkerTemplate") return in.first(seen, 0) && read_group(in, group);
    if (key == "networkConfig") return in.first(seen, 1) && read_network(in, group);
    if (key == "replicas") return in.first(seen, 3) && optional_count(in, group.groups);
    if (key == "startupPolicy")
      return in.first(seen, 2) && base::json::optional_text(in, group.startup_policy);
    return in.skip();
  });
  if (read) Group(checker, group).check();
  return !in.failed();
}

}  // namespace tpuwh::webhook::validate
