#include "server/outlook/outlook.hpp"

#include "server/outlook/around.hpp"
#include "server/outlook/node_pools.hpp"
#include "server/outlook/pod_sets.hpp"
#include "server/outlook/pool_waits.hpp"
#include "server/outlook/quota.hpp"
#include "server/outlook/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace tpuwh::server::outlook {

namespace {

// Of several slices so many places at the most are named.
constexpr std::size_t most_named = 4;

// Slices that ask the same, and those of them that have no place.
struct Asking {
  std::shared_ptr<const Member> member;  // of the first
  Candidates candidates;
  std::uint64_t chips = 0;
  std::vector<const WantedSlice*> placeless;
};

class Outlook {
 public:
  Outlook(const ClusterState& cluster, const WantedWorkload& workload, Taken& taken)
      : cluster_(cluster), workload_(workload), taken_(taken), pools_(cluster, workload, taken) {}

  WorkloadOutlook run() {
    for (const WantedSlice& slice : workload_.slices) look_at(slice);
    if (!pools_.has_begun()) ask_for_quota();
    wait_for_pools();
    look_at_services(cluster_, workload_, out_);
    look_at_gates(workload_, out_);
    conclude();
    return std::move(out_);
  }

 private:
  void look_at(const WantedSlice& slice);
  std::string place(const Member& member, Asking& asking);
  std::string why_not_known(const Member& member) const;
  std::vector<PodSet> pod_sets_of_slices() const;
  void ask_for_quota();
  void wait_for_pools();
  void not_known(std::string why);
  void conclude();
  std::string places() const;

  const ClusterState& cluster_;
  const WantedWorkload& workload_;
  Taken& taken_;
  NodePools pools_;
  std::vector<std::pair<std::string, Asking>> asking_;  // by Member::key, in the order of slices
  WorkloadOutlook out_;
};

void Outlook::not_known(std::string why) {
  if (std::ranges::find(out_.not_known, why) == out_.not_known.end())
    out_.not_known.push_back(std::move(why));
}

// "" where its place can be looked for.
std::string Outlook::why_not_known(const Member& member) const {
  if (!cluster_.knows_nodes) return "where slices can form: Nodes were not read";
  if (const auto why = member.placed_by_others(); !why.empty()) return "where it stands: " + why;
  if (member.accelerator().empty() || member.topology().empty())
    return fmt::format("where slices can form: the Pods select no {}",
                       member.topology().empty() ? "topology" : "accelerator");
  return member.slice().hosts == 0 ? "where slices can form: how many hosts a slice has" : "";
}

void Outlook::look_at(const WantedSlice& slice) {
  auto member = std::make_shared<const Member>(slice, cluster_.prefix);
  const std::string key = member->key();
  auto found = std::ranges::find(asking_, key, [](const auto& each) { return each.first; });
  if (found == asking_.end())
    found = asking_.insert(found, {key, {member, pools_.candidates(*member), 0, {}}});
  Asking& asking = found->second;
  asking.chips += std::uint64_t{slice.hosts} * slice.chips_per_host;
  out_.places.push_back({slice.title, place(*member, asking)});
}

std::string Outlook::place(const Member& member, Asking& asking) {
  if (const auto why = why_not_known(member); !why.empty()) return not_known(why), std::string();
  std::string pool = pools_.place(member, asking.candidates);
  if (pool.empty()) asking.placeless.push_back(&member.slice());
  return pool;
}

// The Pods of slices that ask the same.
std::vector<PodSet> Outlook::pod_sets_of_slices() const {
  std::vector<PodSet> out;
  for (const auto& [key, asking] : asking_) {
    const WantedSlice& slice = asking.member->slice();
    out.push_back({.name = "main",
                   .sample = slice,
                   .count = asking.chips / std::max(slice.chips_per_host, 1u),
                   .each = requests_of(slice.member)});
  }
  return out;
}

void Outlook::ask_for_quota() {
  // Where nobody has counted its Pods.
  const auto counted = workload_.pod_sets.empty() ? pod_sets_of_slices() : std::vector<PodSet>();
  look_at_quota(cluster_, workload_, counted.empty() ? workload_.pod_sets : counted, taken_, out_);
}

void Outlook::wait_for_pools() {
  for (const auto& [key, asking] : asking_) {
    if (asking.placeless.empty()) continue;
    const Placeless slices{*asking.member, asking.placeless, workload_.slices.size()};
    for (Wait& wait : pool_waits(slices, pools_.views(*asking.member), taken_, cluster_))
      out_.waits.push_back(std::move(wait));
  }
}

// --- The verdict in words -----------------------------------------------------------------

// What somebody waits for.
const char* thing(Cause cause) {
  switch (cause) {
    case Cause::no_pool:
      return "a node pool of its shape";
    case Cause::pool_taken:
      return "a node pool that is free";
    case Cause::pool_too_small:
      return "a node pool with enough nodes";
    case Cause::pool_unusable:
      return "nodes that it can use";
    case Cause::capacity:
      return "capacity";
    case Cause::quota:
      return "quota of Kueue";
    case Cause::service:
      return "a headless Service";
    case Cause::gate:
      return "a scheduling gate";
  }
  return "";
}

// "slice 0 of 2 on tpu-a, slice 1 of 2 on tpu-b"; of many "64 slices on 64 node pools".
std::string Outlook::places() const {
  const auto& places = out_.places;
  if (places.size() == 1) return "on " + plain(places.front().pool);
  std::vector<std::string> named, pools;
  for (const SlicePlace& each : places) {
    const std::string title =
        each.title.empty() ? fmt::format("slice {}", named.size()) : plain(each.title);
    named.push_back(fmt::format("{} on {}", title, plain(each.pool)));
    if (std::ranges::find(pools, each.pool) == pools.end()) pools.push_back(each.pool);
  }
  if (places.size() <= most_named) return fmt::format("{}", fmt::join(named, ", "));
  return fmt::format("{} slices on {} node pool{}", places.size(), pools.size(),
                     pools.size() == 1 ? "" : "s");
}

std::string things(const std::vector<Wait>& waits) {
  std::vector<std::string> all;
  for (const Wait& wait : waits)
    if (const std::string one = thing(wait.cause); std::ranges::find(all, one) == all.end())
      all.push_back(one);
  const std::string last = all.back();
  all.pop_back();
  return all.empty() ? last : fmt::format("{} and {}", fmt::join(all, ", "), last);
}

std::string_view how_far(const BoundPods& pods, std::uint64_t hosts) {
  if (pods.running >= hosts) return "runs";
  if (pods.all >= hosts) return "is bound, but does not all run";
  return pods.all > 0 ? "has begun, and forms now" : "forms now";
}

void Outlook::conclude() {
  const auto placed = std::ranges::count_if(
      out_.places, [](const SlicePlace& place) { return !place.pool.empty(); });
  if (!out_.waits.empty()) {
    out_.verdict = Verdict::waits;
    out_.sentence = "waits for " + things(out_.waits);
    if (placed > 0 && std::cmp_less(placed, out_.places.size()))
      out_.sentence += fmt::format("; {} of {} slices have a place", placed, out_.places.size());
    return;
  }
  if (!out_.not_known.empty()) {
    out_.sentence = "not known whether it forms now: " + out_.not_known.front();
    return;
  }
  out_.verdict = Verdict::forms;
  std::uint64_t hosts = 0;
  for (const WantedSlice& slice : workload_.slices) hosts += slice.hosts;
  const std::string_view how = how_far(pools_.bound_pods(), hosts);
  out_.sentence = out_.places.empty()
                      ? "forms now: it has no slices"
                      : fmt::format("{}{} {}", how, out_.places.size() == 1 ? "" : ":", places());
}

}  // namespace

const char* name(Cause cause) {
  switch (cause) {
    case Cause::no_pool:
      return "no_pool";
    case Cause::pool_taken:
      return "pool_taken";
    case Cause::pool_too_small:
      return "pool_too_small";
    case Cause::pool_unusable:
      return "pool_unusable";
    case Cause::capacity:
      return "capacity";
    case Cause::quota:
      return "quota";
    case Cause::service:
      return "service";
    case Cause::gate:
      return "gate";
  }
  return "";
}

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::forms:
      return "forms";
    case Verdict::waits:
      return "waits";
    case Verdict::not_known:
      return "not_known";
  }
  return "";
}

std::vector<WorkloadOutlook> look_out(const ClusterState& cluster,
                                      std::span<const WantedWorkload> workloads) {
  Taken taken;
  std::vector<WorkloadOutlook> out;
  for (const WantedWorkload& workload : workloads)
    out.push_back(Outlook(cluster, workload, taken).run());
  return out;
}

}  // namespace tpuwh::server::outlook
