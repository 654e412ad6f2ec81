#include "webhook/validate/ray.hpp"

#include "webhook/text/names.hpp"

#include <algorithm>
#include <vector>

namespace tpuwh::webhook::validate {

namespace {

struct WorkerGroup {
  std::string_view name;
  std::optional<std::uint32_t> hosts, replicas;
  text::JsonReader::Mark pod_template;
};

bool read_group(text::JsonReader& in, WorkerGroup& group) {
  text::Seen seen = 0;
  return in.object([&](std::string_view key) {
    if (key == "groupName") return in.first(seen, 0) && text::optional_text(in, group.name);
    if (key == "numOfHosts") return in.first(seen, 1) && optional_number(in, group.hosts);
    if (key == "replicas") return in.first(seen, 2) && optional_number(in, group.replicas);
    if (key == "template") return in.first(seen, 3) && keep_place(in, group.pod_template);
    return in.skip();
  });
}

// The labels that KubeRay writes on host 0 of a replica.
void label_worker(Checker& checker, const WorkerGroup& group, std::string_view replica) {
  checker.pod().owner = {"RayCluster", checker.object().name, {}};
  checker.label(read::Label::ray_node_type, "worker");
  checker.label(read::Label::ray_cluster, checker.object().name);
  checker.label(read::Label::ray_group, group.name);
  checker.label(read::Label::ray_replica_index, replica);
  checker.label(read::Label::ray_replica_name, {});
  checker.label(read::Label::ray_host_index, "0");
}

// KubeRay makes numOfHosts Pods a replica, and each replica is to be one slice.
void check_hosts(Checker& checker, const WorkerGroup& group, const topology::Slice& slice) {
  const std::uint32_t hosts = group.hosts.value_or(1);  // KubeRay's default
  if (hosts == slice.hosts) return;
  const std::string found = group.hosts ? "numOfHosts is " + std::to_string(hosts)
                                        : "numOfHosts is missing, which means 1";
  const std::string sentence = found + ", but " + hosts_by_arithmetic(slice);
  if (slice.multi_host())
    checker.wrong_size(Finding::ray_hosts, sentence);
  else
    checker.add(Finding::ray_hosts, sentence + "; each Pod will be a slice of its own",
                Level::warn);
}

// A later replica is refused by what grows with its number: its name, a number of slices
// that the user set. The first ones run, so that is not a fault.
void check_last_replica(Checker& checker, const WorkerGroup& group) {
  const std::uint32_t replicas = group.replicas.value_or(1);
  if (replicas < 2) return;
  const std::string last = std::to_string(replicas - 1);
  label_worker(checker, group, last);
  const outcome::Decision decision = checker.decide();
  if (decision.outcome == outcome::Outcome::denied)
    checker.add(Finding::ray_replicas_refused,
                "Pods of replica " + last + " will be refused: " + decision.denial.text());
}

void check_group(Checker& checker, const WorkerGroup& group) {
  if (!checker.open({"worker group ", group.name}, group.pod_template)) {
    if (checker.selects_tpu_without_chips())
      checker.add(
          Finding::chips_missing,
          "selects TPU nodes (cloud.google.com/gke-tpu-accelerator), but no container asks for "
          "google.com/tpu");
    return;
  }
  label_worker(checker, group, "0");
  if (group.hosts) checker.set_ray_hosts(*group.hosts);
  const outcome::Decision first = checker.decide();
  checker.report(first);
  if (const topology::Slice* slice = checker.slice()) check_hosts(checker, group, *slice);
  if (first.outcome != outcome::Outcome::denied) check_last_replica(checker, group);
}

// Pods are told apart by their group's name.
void check_names(Checker& checker, std::vector<std::string_view>& names) {
  std::ranges::sort(names);
  for (std::size_t i = 1; i < names.size(); ++i)
    if (names[i] == names[i - 1] && (i < 2 || names[i] != names[i - 2]))
      checker.add(Finding::ray_groups_alike, "two worker groups are named " +
                                                 text::printable(names[i]) +
                                                 ", and Pods are told apart by their group's name");
}

bool check_groups(Checker& checker, text::JsonReader::Mark groups) {
  text::JsonReader& in = checker.reader();
  if (!groups) return true;
  in.go_to(groups);
  std::vector<std::string_view> names;
  bool any = false;
  const bool read = in.array([&](std::size_t) {
    WorkerGroup group;
    if (!read_group(in, group)) return false;
    if (!group.pod_template) return true;
    names.push_back(group.name);
    check_group(checker, group);
    any = any || checker.asks_for_tpu();
    return !in.failed();
  });
  if (!read) in.within("workerGroupSpecs");
  if (!read || !any) return read;
  checker.close();
  check_names(checker, names);
  return true;
}

bool check_head(Checker& checker, text::JsonReader::Mark head) {
  text::JsonReader& in = checker.reader();
  text::JsonReader::Mark pod_template;
  text::Seen seen = 0;
  const bool read = object_at(in, head, [&](std::string_view key) {
    return key == "template" ? in.first(seen, 0) && keep_place(in, pod_template) : in.skip();
  });
  if (read && checker.open({"head group"}, pod_template)) {
    checker.label(read::Label::ray_node_type, "head");
    checker.label(read::Label::ray_cluster, checker.object().name);
    checker.report(checker.decide());
  }
  if (in.failed()) in.within("headGroupSpec");
  return !in.failed();
}

bool check_ray_holder(Checker& checker, text::JsonReader::Mark spec, std::string_view member) {
  text::JsonReader& in = checker.reader();
  text::JsonReader::Mark cluster;
  text::Seen seen = 0;
  const bool read = object_at(in, spec, [&](std::string_view key) {
    return key == member ? in.first(seen, 0) && keep_place(in, cluster) : in.skip();
  });
  if (!read) return false;
  if (check_ray_cluster(checker, cluster)) return true;
  in.within(member);
  return false;
}

}  // namespace

bool check_ray_cluster(Checker& checker, text::JsonReader::Mark spec) {
  text::JsonReader& in = checker.reader();
  text::JsonReader::Mark head, groups;
  text::Seen seen = 0;
  const bool read = object_at(in, spec, [&](std::string_view key) {
    if (key == "headGroupSpec") return in.first(seen, 0) && keep_place(in, head);
    if (key == "workerGroupSpecs") return in.first(seen, 1) && keep_place(in, groups);
    return in.skip();
  });
  return read && check_head(checker, head) && check_groups(checker, groups);
}

bool check_ray_job(Checker& checker, text::JsonReader::Mark spec) {
  return check_ray_holder(checker, spec, "rayClusterSpec");
}

bool check_ray_service(Checker& checker, text::JsonReader::Mark spec) {
  return check_ray_holder(checker, spec, "rayClusterConfig");
}

}  // namespace tpuwh::webhook::validate
