#include "kubectl/inspect/slices/finding.hpp"

#include "base/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tpuwh::server::slices {

namespace {

constexpr std::size_t most_names = 4;
constexpr std::size_t longest_name = 100;

template <class Pod>
std::string names(const std::vector<const Pod*>& pods) {
  std::string out = pods.size() == 1 ? "Pod" : "Pods";
  const std::size_t shown = std::min(pods.size(), most_names);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i > 0 && i + 1 == pods.size();
    out += i == 0 ? " " : last ? " and " : ", ";
    out += base::printable(pods[i]->name, longest_name);
  }
  if (pods.size() > shown) out += fmt::format(" and {} more", pods.size() - shown);
  return out;
}

}  // namespace

std::size_t Audit::errors() const {
  return static_cast<std::size_t>(
      std::ranges::count(findings, Severity::error, &Finding::severity));
}

void Findings::add(Severity severity, ids::AuditCheck check, const SliceReport& slice,
                   const std::vector<const SeenPod*>& pods, std::string what, std::string fix) {
  Finding finding{severity, check, &slice, {}, {}, std::move(what), std::move(fix)};
  for (const SeenPod* pod : pods) finding.pods.push_back(pod->name);
  findings_.push_back(std::move(finding));
}

void Findings::error(ids::AuditCheck check, const SliceReport& slice,
                     const std::vector<const SeenPod*>& pods, std::string what, std::string fix) {
  if (slice.rolls_over)
    return warn(check, slice, pods,
                what + " (its Pods are of several templates: it may be rolling over)",
                std::move(fix));
  add(Severity::error, check, slice, pods, std::move(what), std::move(fix));
}

void Findings::warn(ids::AuditCheck check, const SliceReport& slice,
                    const std::vector<const SeenPod*>& pods, std::string what, std::string fix) {
  add(Severity::warning, check, slice, pods, std::move(what), std::move(fix));
}

void Findings::also_of(std::vector<const SliceReport*> others) {
  findings_.back().others = std::move(others);
}

void Findings::fold(ids::AuditCheck named) {
  const std::string check = named;
  // Severity, fix, namespace, kind and name of the workload.
  using Alike = std::tuple<Severity, std::string, std::string, std::string, std::string>;
  std::map<Alike, std::size_t> places;
  std::vector<Finding> out;
  for (Finding& each : findings_) {
    const SliceReport& slice = *each.slice;
    if (each.check == check) {
      const auto [found, fresh] = places.try_emplace(
          {each.severity, each.fix, slice.ns, slice.kind, slice.group}, out.size());
      if (!fresh) {
        Finding& first = out[found->second];
        first.others.push_back(&slice);
        first.pods.insert(first.pods.end(), each.pods.begin(), each.pods.end());
        continue;
      }
    }
    out.push_back(std::move(each));
  }
  for (Finding& each : out)
    if (each.check == check && !each.others.empty())
      each.what += "; likewise " + first_of(each.others);
  findings_ = std::move(out);
}

Audit Findings::take() {
  std::ranges::stable_sort(findings_, {}, &Finding::severity);
  return {std::move(findings_), {not_known_.begin(), not_known_.end()}};
}

std::string names_of(const std::vector<const SeenPod*>& pods) {
  return names(pods);
}

std::string names_of(const std::vector<const StrayPod*>& pods) {
  return names(pods);
}

std::string first_of(const std::vector<const SliceReport*>& slices) {
  std::string out;
  const std::size_t shown = std::min(slices.size(), most_names);
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : "; ") + slices[i]->full_name();
  if (slices.size() > shown) out += fmt::format(" and {} more", slices.size() - shown);
  return out;
}

std::string_view have(const std::vector<const SeenPod*>& pods) {
  return pods.size() == 1 ? "has" : "have";
}

}  // namespace tpuwh::server::slices
