#include "kubectl/inspect/slices/hold_ups.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/inspect/slices/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::slices {

namespace {

constexpr std::size_t most_of_a_failure = 200;

class HoldUps {
 public:
  explicit HoldUps(const Cluster& cluster) : cluster_(cluster) {}

  void add(const SeenPod& pod) {
    const HowItStands how = how_it_stands(cluster_, pod);
    if (how.standing == Standing::runs || how.standing == Standing::done) return;
    if (how.standing == Standing::lost) return tell(pod, HoldUp::Kind::lost, how.why);
    if (pod.terminating) return add_leaving(pod);
    if (!how.why.empty()) return tell(pod, HoldUp::Kind::waits, how.why);
    if (pod.wait.what.empty()) return;
    tell(pod, HoldUp::Kind::waits,
         pod.wait.what + for_how_long(pod.wait.since, cluster_.now) + pod.wait.detail);
  }

  void add_failed(const SeenPod& pod) {
    const std::string why = base::printable(pod.failure, most_of_a_failure);
    tell(pod, stays_failed(cluster_, pod) ? HoldUp::Kind::lost : HoldUp::Kind::replaced,
         why.empty() ? "failed" : fmt::format("failed ({})", why));
  }

  std::vector<HoldUp> take() { return std::move(out_); }

 private:
  void add_leaving(const SeenPod& pod) {
    const std::string over = for_how_long(pod.leaves_by, cluster_.now);
    const std::string left = for_how_long(cluster_.now, pod.leaves_by);
    const std::string asked =
        pod.finalizers.empty() ? "" : fmt::format("; finalizer {} keeps it", pod.finalizers);
    if (!over.empty())
      tell(pod, HoldUp::Kind::leaves, "its grace period has been over" + over + asked);
    else if (!left.empty())
      tell(pod, HoldUp::Kind::leaves, "being deleted, with a grace period" + left + " more");
  }

  void tell(const SeenPod& pod, HoldUp::Kind kind, const std::string& what) {
    const auto found = std::ranges::find_if(
        out_, [&](const HoldUp& each) { return each.what == what && each.kind == kind; });
    if (found == out_.end())
      out_.push_back({{&pod}, kind, what});
    else
      found->pods.push_back(&pod);
  }

  const Cluster& cluster_;
  std::vector<HoldUp> out_;
};

}  // namespace

std::string_view name(HoldUp::Kind kind) {
  switch (kind) {
    case HoldUp::Kind::waits:
      return "waits";
    case HoldUp::Kind::leaves:
      return "leaves";
    case HoldUp::Kind::replaced:
      return "replaced";
    case HoldUp::Kind::lost:
      break;
  }
  return "lost";
}

std::vector<HoldUp> hold_ups_of(const Cluster& cluster, const SliceReport& slice) {
  HoldUps out(cluster);
  for (const SeenPod* pod : slice.members) out.add(*pod);
  if (!slice.members.empty())
    for (const SeenPod* pod : slice.failed) out.add_failed(*pod);
  return out.take();
}

std::string for_how_long(const std::optional<Time>& since, const std::optional<Time>& now) {
  if (!since || !now || *now - *since < std::chrono::minutes(5)) return {};
  const auto minutes = std::chrono::floor<std::chrono::minutes>(*now - *since).count();
  if (minutes < 60) return fmt::format(" for {} min", minutes / 5 * 5);
  if (minutes < 48 * 60) return fmt::format(" for {} h", minutes / 60);
  return " for " + base::counted(static_cast<std::uint64_t>(minutes) / (24 * 60), "day");
}

}  // namespace tpuwh::server::slices
