#include "kubectl/predict/outlook/outlook.hpp"

#include "base/counted.hpp"
#include "kubectl/inspect/slices/driven_nodes.hpp"
#include "kubectl/predict/outlook/around.hpp"
#include "kubectl/predict/outlook/node_pools.hpp"
#include "kubectl/predict/outlook/pod_sets.hpp"
#include "kubectl/predict/outlook/pool_waits.hpp"
#include "kubectl/predict/outlook/quota.hpp"
#include "kubectl/predict/outlook/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

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
    match_standing();
    for (std::size_t i = 0; i < workload_.slices.size(); ++i) look_at(i);
    if (!pools_.has_begun()) ask_for_quota();
    wait_for_pools();
    look_at_services(cluster_, workload_, out_);
    if (!all_whole()) look_at_gates(workload_, out_);
    conclude();
    return std::move(out_);
  }

 private:
  void match_standing();
  bool all_whole() const;
  bool is_over(const StandingSlice& slice) const;
  void look_at(std::size_t number);
  std::string place(const Member& member, Asking& asking);
  void look_at_driver(const SeenPool& pool, const Member& member);
  std::string why_not_known(const Member& member) const;
  std::vector<PodSet> pod_sets_of_slices() const;
  void ask_for_quota();
  void wait_for_pools();
  void not_known(std::string why);
  void conclude();
  StandingWords words(std::size_t number) const;
  std::string place_of(std::size_t number) const;
  std::string places(const std::vector<std::size_t>& numbers) const;
  std::string sentence();

  const ClusterState& cluster_;
  const WantedWorkload& workload_;
  Taken& taken_;
  NodePools pools_;
  std::vector<const StandingSlice*> standing_;          // of each wanted slice; null for none
  bool lives_ = false;                                  // whether one of them does
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
  if (const auto why = member.placed_by_others(); !why.empty()) return "where it runs: " + why;
  if (member.accelerator().empty() || member.topology().empty())
    return fmt::format("where slices can form: the Pods select no {}",
                       member.topology().empty() ? "topology" : "accelerator");
  return member.slice().hosts == 0 ? "where slices can form: how many hosts a slice has" : "";
}

// Of those that are left, whose number nothing says; where they are more Pods than one slice has,
// they may be of any.
const StandingSlice* take_unnamed(const WantedSlice& slice,
                                  std::vector<const StandingSlice*>& left) {
  const auto found = std::ranges::find_if(
      left.rbegin(), left.rend(), [&](const auto* each) { return !slice.index || !each->slice; });
  if (found == left.rend()) return nullptr;
  const StandingSlice* out = *found;
  if (out->there <= out->hosts) left.erase(std::prev(found.base()));
  return out;
}

// Each is the slice of its number and part, of several the one of which most is bound; else any
// that is left.
void Outlook::match_standing() {
  using Name = std::pair<std::string, std::optional<std::uint32_t>>;
  std::map<Name, std::vector<const StandingSlice*>> left;
  auto own = pools_.standing();
  std::ranges::stable_sort(own, {}, &StandingSlice::bound);
  for (const StandingSlice* each : own) {
    left[{each->part, each->slice}].push_back(each);
    lives_ = lives_ || each->lives();
  }
  const auto take = [](std::vector<const StandingSlice*>& from) {
    const StandingSlice* out = from.empty() ? nullptr : from.back();
    if (out != nullptr) from.pop_back();
    return out;
  };
  for (const WantedSlice& slice : workload_.slices)
    standing_.push_back(take(left[{slice.part, slice.index}]));
  std::vector<const StandingSlice*> others;
  for (auto& [name, slices] : left) others.insert(others.end(), slices.begin(), slices.end());
  std::ranges::stable_sort(others, {}, &StandingSlice::bound);
  for (std::size_t i = 0; i < standing_.size(); ++i)
    if (standing_[i] == nullptr) standing_[i] = take_unnamed(workload_.slices[i], others);
}

bool Outlook::all_whole() const {
  return !standing_.empty() && std::ranges::all_of(standing_, [](const StandingSlice* each) {
    return each != nullptr && each->whole();
  });
}

// Nobody makes it again while the others of its job are there.
bool Outlook::is_over(const StandingSlice& slice) const {
  return lives_ && !slice.lives() && slice.ended > 0;
}

void Outlook::look_at(std::size_t number) {
  const WantedSlice& slice = workload_.slices[number];
  const StandingSlice* standing = standing_[number];
  auto member = std::make_shared<const Member>(slice, cluster_.prefix);
  const std::string key = member->key();
  auto found = std::ranges::find(asking_, key, [](const auto& each) { return each.first; });
  if (found == asking_.end())
    found = asking_.insert(found, {key, {member, pools_.candidates(*member), 0, {}}});
  Asking& asking = found->second;
  asking.chips += std::uint64_t{slice.hosts} * slice.chips_per_host;
  std::string pool;
  if (standing != nullptr && (is_over(*standing) || (slice.hosts > 1 && standing->whole()))) {
    pools_.keep(*standing, *member);
    if (!standing->pools.empty()) pool = standing->pools.front();
  } else {
    pool = place(*member, asking);
    if (!pool.empty() && standing != nullptr && !standing->refused.empty())
      not_known(
          fmt::format("{}, though by its nodes {} can hold it", standing->refused, plain(pool)));
  }
  out_.places.push_back({slice.title, std::move(pool)});
}

std::string Outlook::place(const Member& member, Asking& asking) {
  if (const auto why = why_not_known(member); !why.empty()) return not_known(why), std::string();
  std::string pool = pools_.place(member, asking.candidates);
  if (pool.empty()) asking.placeless.push_back(&member.slice());
  const auto found = std::ranges::find(asking.candidates.pools, pool, &SeenPool::name);
  if (found != asking.candidates.pools.end()) look_at_driver(*found, member);
  return pool;
}

// What it writes into containers replaces what is injected (docs/facts.md#whose-value-wins).
void Outlook::look_at_driver(const SeenPool& pool, const Member& member) {
  const WantedSlice& slice = member.slice();
  if (!slice.by_claim || slice.hosts < 2) return;
  for (const SeenHost& host : pool.hosts) {
    const slices::DrivenNode* node = slices::find_driven(cluster_.driven, host.node->name);
    switch (slices::taken_for(node, member.topology(), true)) {
      case slices::Taken::same:
        continue;
      case slices::Taken::not_known:
        return not_known(fmt::format(
            "what the driver of claims takes the nodes of {} for, and so which TPU_WORKER_ID is in "
            "the containers: no ResourceSlice says it",
            plain(pool.name)));
      case slices::Taken::alone:
      case slices::Taken::other:
        out_.waits.push_back(
            {Cause::driver,
             fmt::format("{}, not of {}, and writes that over what is injected: the slice on {} "
                         "never forms; label its nodes tpu.google.com/topology={} and restart the "
                         "driver's Pods on them",
                         slices::described(host.node->name, *node), member.topology(),
                         plain(pool.name), member.topology()),
             {}});
        return;
    }
  }
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
    case Cause::driver:
      return "nodes that their driver of claims takes for the slice";
    case Cause::service:
      return "a headless Service";
    case Cause::gate:
      return "a scheduling gate";
  }
  return "";
}

StandingWords Outlook::words(std::size_t number) const {
  const StandingSlice* standing = standing_[number];
  if (standing == nullptr || (!standing->lives() && !is_over(*standing))) return {"forms now", {}};
  return words_of(*standing);
}

// " on a and b"; "" where it is nowhere.
std::string Outlook::place_of(std::size_t number) const {
  const StandingSlice* standing = standing_[number];
  std::vector<std::string> pools;
  if (standing != nullptr && standing->bound > 0)
    for (const std::string& each : standing->pools) pools.push_back(plain(each));
  const std::string& found = out_.places[number].pool;
  if (pools.empty() && !found.empty()) pools.push_back(plain(found));
  return pools.empty() ? "" : " on " + told(pools, " and ");
}

// "slice 0 of 2 on tpu-a, slice 1 of 2 on tpu-b"; of many "64 slices on 64 node pools".
std::string Outlook::places(const std::vector<std::size_t>& numbers) const {
  std::vector<std::string> named;
  std::set<std::string_view> pools;
  for (const std::size_t number : numbers) {
    const SlicePlace& each = out_.places[number];
    named.push_back((each.title.empty() ? fmt::format("slice {}", number) : plain(each.title)) +
                    place_of(number));
    if (!each.pool.empty()) pools.insert(each.pool);
  }
  if (out_.places.size() <= most_named) return fmt::format("{}", fmt::join(named, ", "));
  const std::string slices = base::counted(numbers.size(), "slice");
  return pools.empty() ? slices
                       : fmt::format("{} on {}", slices, base::counted(pools.size(), "node pool"));
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

// "runs: slice 0 of 2 on a; has failed: slice 1 of 2"
std::string Outlook::sentence() {
  std::vector<std::pair<StandingWords, std::vector<std::size_t>>> told;
  for (std::size_t i = 0; i < out_.places.size(); ++i) {
    StandingWords all = words(i);
    if (all.broken) out_.verdict = Verdict::broken;
    auto found = std::ranges::find(told, all, [](const auto& each) { return each.first; });
    if (found == told.end()) found = told.insert(found, {std::move(all), {}});
    found->second.push_back(i);
  }
  if (told.empty()) return "forms now: it has no slices";
  const StandingWords& first = told.front().first;
  if (out_.places.size() == 1) return first.begin + place_of(0) + first.end;
  std::string out;
  for (const auto& [words, slices] : told)
    out +=
        fmt::format("{}{}{}: {}", out.empty() ? "" : "; ", words.begin, words.end, places(slices));
  return out;
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
  out_.sentence = sentence();
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
    case Cause::driver:
      return "driver";
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
    case Verdict::broken:
      return "broken";
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
