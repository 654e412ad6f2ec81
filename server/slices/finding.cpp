#include "server/slices/finding.hpp"

#include "server/text/shell_command.hpp"
#include "webhook/text/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::slices {

namespace {

constexpr std::size_t most_names = 4;
constexpr std::size_t most_deleted = 16;
constexpr std::size_t longest_name = 100;

template <class Pod>
std::string names(const std::vector<const Pod*>& pods) {
  std::string out = pods.size() == 1 ? "Pod" : "Pods";
  const std::size_t shown = std::min(pods.size(), most_names);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i > 0 && i + 1 == pods.size();
    out += i == 0 ? " " : last ? " and " : ", ";
    out += webhook::text::printable(pods[i]->name, longest_name);
  }
  if (pods.size() > shown) out += fmt::format(" and {} more", pods.size() - shown);
  return out;
}

}  // namespace

std::size_t Audit::errors() const {
  return static_cast<std::size_t>(
      std::ranges::count(findings, Severity::error, &Finding::severity));
}

void Findings::add(Severity severity, std::string_view check, const SliceReport& slice,
                   const std::vector<const SeenPod*>& pods, std::string what, std::string fix) {
  Finding finding{severity, std::string(check), &slice, {}, std::move(what), std::move(fix)};
  for (const SeenPod* pod : pods) finding.pods.push_back(pod->name);
  findings_.push_back(std::move(finding));
}

void Findings::error(std::string_view check, const SliceReport& slice,
                     const std::vector<const SeenPod*>& pods, std::string what, std::string fix) {
  if (slice.rolls_over)
    return warn(check, slice, pods,
                what + " (its Pods are of several templates: it may be rolling over)",
                std::move(fix));
  add(Severity::error, check, slice, pods, std::move(what), std::move(fix));
}

void Findings::warn(std::string_view check, const SliceReport& slice,
                    const std::vector<const SeenPod*>& pods, std::string what, std::string fix) {
  add(Severity::warning, check, slice, pods, std::move(what), std::move(fix));
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

std::string_view have(const std::vector<const SeenPod*>& pods) {
  return pods.size() == 1 ? "has" : "have";
}

std::string recreate_hint(const SliceReport& slice, std::string_view also) {
  using webhook::config::WorkloadKind;
  for (const SeenPod* pod : slice.staying)
    if (!pod->left_alone.empty())
      return fmt::format(
          "first mend why tpu-webhook gives such Pods no variables ({}), then create them again",
          pod->left_alone);
  const auto kind = slice.staying.empty() ? WorkloadKind::pod : slice.staying.front()->workload;
  const std::string_view comma = also.empty() ? "" : ", ";
  // The Pods of a Job count as failures when they are deleted.
  if (kind == WorkloadKind::job || kind == WorkloadKind::jobset || kind == WorkloadKind::pod)
    return fmt::format("delete and recreate {} {}/{} with tpu-webhook in place{}{}", slice.kind,
                       slice.ns, slice.group, comma, also);
  text::ShellCommand command("kubectl -n");
  command.name(slice.ns).words("delete pod");
  for (const SeenPod* pod : slice.staying) command.name(pod->name);
  const bool told = slice.staying.size() <= most_deleted && !command.text().empty();
  return fmt::format(
      "with tpu-webhook in place{}{}, delete all Pods of the slice together; their controller "
      "recreates them{}{}",
      comma, also, told ? ": " : "", told ? command.text() : "");
}

}  // namespace tpuwh::server::slices
