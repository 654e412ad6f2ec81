#include "kubectl/predict/explain/conclude.hpp"

#include "base/counted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::explain {

namespace {

using base::counted;

bool incomplete(const Slice& slice) {
  return slice.missing > 0;
}

bool has_host(const Member& member) {
  return member.host.has_value();
}

// "the slice has Pods for 1 of 2 hosts", "no Pod of slice 0 has a worker id, nor of 1 more"
std::string what_lacks(const Workload& workload) {
  for (const Group& group : workload.groups) {
    const auto lacking = std::ranges::count_if(group.slices, incomplete);
    if (lacking == 0) continue;
    const auto first = std::ranges::find_if(group.slices, incomplete);
    const std::string which =
        group.slices.size() == 1 ? "the slice" : fmt::format("slice {}", first->name);
    if (!first->members.empty() && std::ranges::none_of(first->members, has_host))
      return fmt::format("no Pod of {} has a worker id{}", which,
                         lacking == 1 ? "" : fmt::format(", nor of {} more", lacking - 1));
    const std::string more = lacking == 1 ? "" : fmt::format(", as do {} more", lacking - 1);
    return fmt::format("{} has Pods for {} of {} hosts{}", which, group.hosts - first->missing,
                       group.hosts, more);
  }
  return {};
}

std::string shape_of(const Group& group) {
  if (group.topology.empty()) return "unknown topology";
  return group.accelerator.empty() ? group.topology : group.topology + " on " + group.accelerator;
}

std::string claimed_words(const std::vector<Claimed>& all) {
  std::vector<std::string> out;
  for (const Claimed& each : all)
    out.push_back(fmt::format("{}{} {}", counted(each.pods, "Pod"), each.pods == 1 ? "" : ", each",
                              each.words));
  return fmt::format("{}", fmt::join(out, "; "));
}

std::string all_slices(const Workload& workload) {
  if (workload.pods_left_out > 0)
    return fmt::format("its {} were not looked at", counted(workload.pods_left_out, "Pod"));
  if (!workload.scaled_to_none.empty()) return workload.scaled_to_none;
  if (workload.groups.empty())
    return workload.claimed.empty() ? "asks for no TPU chips" : claimed_words(workload.claimed);
  if (workload.groups.size() == 1) return slices_words(workload.groups.front());
  std::vector<std::string> parts;
  for (const Group& group : workload.groups)
    parts.push_back((group.title.empty() ? "" : group.title + ": ") + slices_words(group));
  return fmt::format("{} in {} groups, {} chips ({})", counted(workload.slices(), "slice"),
                     workload.groups.size(), workload.chips(), fmt::join(parts, "; "));
}

std::string refused(const Workload& workload) {
  const auto denied = std::ranges::find_if(workload.findings, &Finding::denied);
  const std::uint64_t refused = workload.refused_pods;
  const bool whole = denied->pods == 0 || workload.kind == "Pod";
  const std::string who =
      whole ? "it would be refused"
      : workload.groups.empty()
          ? "its Pods would be refused"
          : fmt::format("{} of {} Pods would be refused", refused, refused + workload.pods());
  return who + ": " + (workload.refusal.empty() ? denied->sentence : workload.refusal);
}

Verdict verdict_of(const Workload& workload) {
  if (std::ranges::any_of(workload.findings, &Finding::denied)) return Verdict::refused;
  if (!workload.findings.empty() || workload.pods_left_out > 0 || !what_lacks(workload).empty())
    return Verdict::doubtful;
  const bool asks = !workload.groups.empty() || !workload.scaled_to_none.empty() ||
                    std::ranges::any_of(workload.claimed, &Claimed::chips);
  return asks ? Verdict::fine : Verdict::no_tpu;
}

}  // namespace

std::string slices_words(const Group& group) {
  if (group.hosts == 0)
    return fmt::format("{} of slices of unknown size, {}", counted(group.pods, "Pod"),
                       counted(group.chips(), "chip"));
  const auto slices = group.slices.size();
  const std::string together =
      group.slices_of_job > 1 && slices > 1 ? ", one job over MegaScale" : "";
  return fmt::format("{} of {}: {}, {}{}", counted(slices, "slice"), shape_of(group),
                     counted(group.pods, "Pod"), counted(group.chips(), "chip"), together);
}

std::string scaled_words(const Workload& one_replica,
                         const std::optional<expand::PodRange>& range) {
  std::string out = "0 Pods with chips now";
  if (range && range->most > 0)
    out += range->bounded ? fmt::format(" ({} to {})", range->least, range->most)
                          : fmt::format(" ({} or more)", range->least);
  for (const Group& group : one_replica.groups) {
    const std::string of = group.title.empty() ? "" : " of " + group.title;
    // A replica that is one host of several.
    out += std::ranges::any_of(group.slices, incomplete)
               ? fmt::format("; {} Pods{} are 1 slice of {}", group.hosts, of, shape_of(group))
               : fmt::format("; a replica{} is {}", of, slices_words(group));
  }
  for (const Claimed& each : one_replica.claimed) out += "; a Pod " + each.words;
  return out;
}

void conclude(Workload& workload) {
  workload.verdict = verdict_of(workload);
  if (!workload.groups.empty() && !workload.claimed.empty())
    workload.notes.push_back("beside them " + claimed_words(workload.claimed));
  workload.sentence =
      workload.verdict == Verdict::refused ? refused(workload) : all_slices(workload);
  if (workload.verdict != Verdict::doubtful) return;
  const std::string lacks = what_lacks(workload);
  const auto warnings = workload.findings.size();
  if (!lacks.empty() || warnings > 0)
    workload.sentence += (lacks.empty() ? ", with " : "; but ") +
                         (lacks.empty() ? counted(warnings, "warning") : lacks);
}

}  // namespace tpuwh::server::explain
