#include "webhook/validate/ray.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tpuwh::webhook::validate {

namespace {

// The RayCluster: the object, or what KubeRay makes of it.
struct Cluster {
  std::string name;
  bool autoscaled = false;
};

struct WorkerGroup {
  std::string_view name;
  std::optional<std::uint32_t> hosts, replicas, least, most;
  bool suspended = false;
  base::json::Reader::Mark pod_template;

  controllers::RayGroupNumbers numbers(const Cluster& cluster) const {
    return {.replicas = replicas,
            .least = least,
            .most = most,
            .hosts = hosts,
            .suspended = suspended,
            .autoscaled = cluster.autoscaled};
  }
  controllers::Replicas size(const Cluster& cluster) const {
    return controllers::ray_replicas(numbers(cluster));
  }
};

bool read_group(base::json::Reader& in, WorkerGroup& group) {
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "groupName") return in.first(seen, 0) && base::json::optional_text(in, group.name);
    if (key == "template") return in.first(seen, 3) && keep_place(in, group.pod_template);
    if (key == "numOfHosts") return in.first(seen, 1) && optional_number(in, group.hosts);
    if (key == "replicas") return in.first(seen, 2) && optional_count(in, group.replicas);
    if (key == "minReplicas") return in.first(seen, 4) && optional_count(in, group.least);
    if (key == "maxReplicas") return in.first(seen, 5) && optional_count(in, group.most);
    if (key == "suspend")
      return in.first(seen, 6) && base::json::optional_flag(in, group.suspended);
    return in.skip();
  });
}

// The labels that KubeRay writes on host 0 of a replica.
void label_worker(Checker& checker, const Cluster& cluster, const WorkerGroup& group,
                  std::string_view replica) {
  checker.pod().owner = {"RayCluster", cluster.name, {}};
  checker.label(read::Label::ray_node_type, "worker");
  checker.label(read::Label::ray_cluster, cluster.name);
  checker.label(read::Label::ray_group, group.name);
  checker.label(read::Label::ray_replica_index, replica);
  checker.label(read::Label::ray_replica_name, {});
  checker.label(read::Label::ray_host_index, "0");
}

// KubeRay makes numOfHosts Pods a replica, and each replica is to be one slice.
void check_hosts(Checker& checker, const WorkerGroup& group, const topology::Slice& slice) {
  const std::uint64_t hosts = controllers::ray_hosts({.hosts = group.hosts});
  if (hosts == slice.hosts) return;
  const std::string sentence =
      count_in_words("numOfHosts", group.hosts) + ", but " + hosts_by_arithmetic(slice);
  if (slice.multi_host())
    checker.wrong_size(Finding::ray_hosts, sentence);
  else
    checker.add(Finding::ray_hosts, sentence + "; each Pod becomes a slice of its own",
                Level::warn);
}

// Why Pods of this replica will be refused, "" where they will not.
std::string replica_refusal(Checker& checker, const Cluster& cluster, const WorkerGroup& group,
                            const std::string& replica) {
  label_worker(checker, cluster, group, replica);
  const outcome::Decision decision = checker.decide();
  return decision.outcome == outcome::Outcome::denied ? decision.denial.text() : "";
}

// A later replica is refused by what grows with its number: its name, a number of slices
// that the user set. The first ones run, so that is not a fault.
void check_last_replica(Checker& checker, const Cluster& cluster, const WorkerGroup& group) {
  const auto [now, least, most] = group.size(cluster);
  const std::string last = std::to_string(now - 1);
  if (now > 1)
    if (const std::string why = replica_refusal(checker, cluster, group, last); !why.empty())
      return checker.add(Finding::ray_replicas_refused,
                         "Pods of replica " + last + " are refused: " + why);
  if (most < 2 || most <= now || !group.most) return;
  const std::string later = std::to_string(most - 1);
  if (const std::string why = replica_refusal(checker, cluster, group, later); !why.empty())
    checker.add(Finding::ray_replicas_refused,
                "the autoscaler may make replica " + later + ", whose Pods are refused: " + why);
}

void check_group(Checker& checker, const Cluster& cluster, const WorkerGroup& group) {
  if (!checker.open({"worker group ", group.name}, group.pod_template)) {
    if (checker.selects_tpu_without_chips())
      checker.add(Finding::chips_missing,
                  "the template selects TPU nodes (cloud.google.com/gke-tpu-accelerator), but no "
                  "container asks for google.com/tpu");
    return;
  }
  label_worker(checker, cluster, group, "0");
  checker.add_refusals(controllers::refusals_of_ray_group(group.numbers(cluster)), Level::warn);
  if (group.hosts) checker.set_ray_hosts(*group.hosts);
  const outcome::Decision first = checker.decide();
  checker.report(first);
  if (const topology::Slice* slice = checker.slice()) {
    check_hosts(checker, group, *slice);
    if (slice->multi_host()) checker.add_slices(group.size(cluster).now);
  }
  if (first.outcome != outcome::Outcome::denied) check_last_replica(checker, cluster, group);
}

// Adds to `out` the index of the second occurrence of each name that occurs more than once in
// `places`. The lower 32 bits of each element of `places` are an index into `names`.
void add_repeated(std::span<const std::string_view> names, std::span<std::uint64_t> places,
                  std::vector<std::uint32_t>& out) {
  const auto place = [](std::uint64_t key) { return static_cast<std::uint32_t>(key); };
  const auto name = [&](std::uint64_t key) { return names[place(key)]; };
  if (places.size() > 2)
    std::sort(places.begin(), places.end(), [&](std::uint64_t one, std::uint64_t other) {
      const auto order = name(one) <=> name(other);
      return order != 0 ? order < 0 : place(one) < place(other);
    });
  for (std::size_t i = 1; i < places.size(); ++i)
    if (name(places[i]) == name(places[i - 1]) && (i < 2 || name(places[i]) != name(places[i - 2])))
      out.push_back(place(places[i]));
}

// Returns, for each name that occurs more than once, the index of its second occurrence. Sorts one
// 64-bit number for each name: the upper half is from the name's hash, the lower half is the name's
// index. Names with equal upper halves are then compared as texts, because a user can choose names
// with equal hashes.
std::vector<std::uint32_t> repeated(std::span<const std::string_view> names) {
  constexpr unsigned half = 32;
  std::vector<std::uint64_t> keys(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    keys[i] = std::uint64_t{std::hash<std::string_view>()(names[i])} << half | i;
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0, end = 0; i < keys.size(); i = end) {
    while (end < keys.size() && keys[end] >> half == keys[i] >> half) ++end;
    add_repeated(names, std::span(keys).subspan(i, end - i), out);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Adds a fault for each name that two or more worker groups have, because Pods are distinguished by
// the name of their group.
void check_names(Checker& checker, std::span<const std::string_view> names) {
  for (const std::uint32_t place : repeated(names))
    checker.add(Finding::ray_groups_alike,
                base::concat({"two worker groups are named ", base::printable(names[place]),
                              ", and Pods are distinguished by their group's name"}));
}

bool check_groups(Checker& checker, const Cluster& cluster, base::json::Reader::Mark groups) {
  base::json::Reader& in = checker.reader();
  if (!groups) return true;
  in.go_to(groups);
  std::vector<std::string_view> names;
  bool any = false;
  const bool read = in.array([&](std::size_t) {
    WorkerGroup group;
    if (!read_group(in, group)) return false;
    if (!group.pod_template) return true;
    names.push_back(group.name);
    check_group(checker, cluster, group);
    any = any || checker.asks_for_tpu();
    return !in.failed();
  });
  if (!read) in.within("workerGroupSpecs");
  if (!read || !any) return read;
  checker.close();
  check_names(checker, names);
  return true;
}

bool check_head(Checker& checker, const Cluster& cluster, base::json::Reader::Mark head) {
  base::json::Reader& in = checker.reader();
  base::json::Reader::Mark pod_template;
  if (member_at(in, head, "template", pod_template) && checker.open({"head group"}, pod_template)) {
    checker.label(read::Label::ray_node_type, "head");
    checker.label(read::Label::ray_cluster, cluster.name);
    checker.report(checker.decide());
  }
  if (in.failed()) in.within("headGroupSpec");
  return !in.failed();
}

// `kind` is the object's.
bool check_cluster(Checker& checker, Cluster known, std::string_view kind,
                   base::json::Reader::Mark spec) {
  base::json::Reader& in = checker.reader();
  base::json::Reader::Mark head, groups;
  const bool read = object_at(in, spec, [&](std::string_view key, base::json::Seen& seen) {
    if (key == "headGroupSpec") return in.first(seen, 0) && keep_place(in, head);
    if (key == "workerGroupSpecs") return in.first(seen, 1) && keep_place(in, groups);
    if (key == "enableInTreeAutoscaling")
      return in.first(seen, 2) && base::json::optional_flag(in, known.autoscaled);
    return in.skip();
  });
  if (!read || !check_head(checker, known, head) || !check_groups(checker, known, groups))
    return false;
  if (!checker.any_asks_for_tpu()) return true;
  checker.close();
  checker.add_refusals(controllers::refusals_of_ray(kind, checker.object().name), Level::warn);
  return true;
}

bool check_ray_holder(Checker& checker, base::json::Reader::Mark spec, std::string_view member,
                      std::string_view kind) {
  base::json::Reader& in = checker.reader();
  base::json::Reader::Mark cluster;
  if (!member_at(in, spec, member, cluster)) return false;
  // KubeRay adds five letters of its own.
  if (check_cluster(checker, {.name = checker.object().name + "-xxxxx"}, kind, cluster))
    return true;
  in.within(member);
  return false;
}

}  // namespace

bool check_ray_cluster(Checker& checker, base::json::Reader::Mark spec) {
  return check_cluster(checker, {.name = checker.object().name}, "RayCluster", spec);
}

bool check_ray_job(Checker& checker, base::json::Reader::Mark spec) {
  return check_ray_holder(checker, spec, "rayClusterSpec", "RayJob");
}

bool check_ray_service(Checker& checker, base::json::Reader::Mark spec) {
  return check_ray_holder(checker, spec, "rayClusterConfig", "RayService");
}

}  // namespace tpuwh::webhook::validate
