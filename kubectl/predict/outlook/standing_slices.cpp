#include "kubectl/predict/outlook/standing_slices.hpp"

#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/predict/outlook/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tpuwh::server::outlook {

namespace {

using slices::Cluster;
using slices::Phase;
using slices::SeenPod;
using slices::SliceReport;

const SeenPod* first_pod(const SliceReport& slice) {
  for (const auto* pods : {&slice.members, &slice.leaving, &slice.ended})
    if (!pods->empty()) return pods->front();
  return nullptr;
}

std::string refused_of(const SliceReport& slice) {
  for (const SeenPod* pod : slice.staying)
    if (pod->node.empty() && pod->wait.refused)
      return fmt::format("Pod {}/{} is {}{}", plain(pod->ns), plain(pod->name), pod->wait.what,
                         pod->wait.detail);
  return {};
}

StandingSlice standing_of(const SliceReport& slice, const SeenPod& first) {
  slices::ObjectName workload = slices::topmost_of(first);
  StandingSlice out{.kind = std::move(workload.kind),
                    .ns = first.ns,
                    .group = std::move(workload.name),
                    .owners = first.owners,
                    .part = slice.part,
                    .slice = slice.slice,
                    .phase = slice.phase,
                    .pools = slice.pools,
                    .hosts = std::max(slice.hosts, 1u),
                    .there = static_cast<std::uint32_t>(slice.staying.size()),
                    .ended = static_cast<std::uint32_t>(slice.ended.size()),
                    .failed = !slice.failed.empty(),
                    .refused = refused_of(slice),
                    .errors = {},
                    .warnings = {}};
  out.bound = out.there - std::min(out.there, slice.unbound);
  const auto members = static_cast<std::uint32_t>(slice.members.size());
  if (slice.hosts > 0 && slice.places_known() && slice.duplicates.empty())
    out.done = slice.hosts_present() - std::min(slice.hosts_present(), members);
  return out;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

}  // namespace

std::vector<StandingSlice> standing_slices(const Cluster& cluster) {
  const auto reports = slices::report_slices(cluster);
  std::vector<StandingSlice> out;
  std::map<const SliceReport*, std::size_t> where;
  for (const SliceReport& report : reports) {
    const SeenPod* first = first_pod(report);
    if (first == nullptr) continue;
    where[&report] = out.size();
    out.push_back(standing_of(report, *first));
  }
  for (const slices::Finding& finding : slices::audit(cluster, reports).findings) {
    const auto tell = [&](const SliceReport* slice) {
      StandingSlice& standing = out[where.at(slice)];
      const bool error = finding.severity == slices::Severity::error;
      add_once(error ? standing.errors : standing.warnings, finding.check);
    };
    tell(finding.slice);
    for (const SliceReport* other : finding.others) tell(other);
  }
  return out;
}

StandingWords words_of(const StandingSlice& slice) {
  if (!slice.lives()) return {slice.failed ? "has failed" : "has ended", {}, slice.failed};
  const bool broken = slice.phase == Phase::broken || !slice.errors.empty();
  if (broken) {
    const std::string why = slice.errors.empty() ? ", but cannot form as it is"
                                                 : fmt::format(", but audit reports a fault ({})",
                                                               fmt::join(slice.errors, ", "));
    return {slice.whole() ? "is bound" : "has begun", why, true};
  }
  if (!slice.whole()) return {slice.bound > 0 ? "has begun, and forms now" : "forms now", {}};
  if (slice.phase == Phase::forming) return {"is bound", ", but does not all run"};
  if (slice.phase == Phase::ended) return {"has ended", {}};
  return {"runs", slice.warnings.empty()
                      ? ""
                      : fmt::format(" (audit warns: {})", fmt::join(slice.warnings, ", "))};
}

}  // namespace tpuwh::server::outlook
