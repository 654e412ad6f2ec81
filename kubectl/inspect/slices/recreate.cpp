#include "kubectl/inspect/slices/recreate.hpp"

#include "kubectl/inspect/slices/finding.hpp"
#include "kubectl/print/shell_command.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::slices {

namespace {

using webhook::config::WorkloadKind;
using webhook::read::Variable;

constexpr std::size_t most_deleted = 16;
constexpr auto in_place = "with tpu-webhook in place";

// Why the webhook would give such Pods nothing; "" where it would.
std::string in_vain(const SliceReport& slice) {
  const auto alone = std::ranges::find_if(
      slice.staying, [](const SeenPod* pod) { return !pod->left_alone.empty(); });
  return alone == slice.staying.end() ? "" : (*alone)->left_alone;
}

std::string vain_hint(const std::string& why) {
  return fmt::format(
      "first fix the reason why tpu-webhook gives such Pods no variables ({}), then recreate them",
      why);
}

bool is_users(const SliceReport& slice, Variable variable) {
  return std::ranges::any_of(slice.staying, [&](const SeenPod* pod) {
    return std::ranges::any_of(pod->processes, [&](const TpuProcess& process) {
      const EnvValue& value = process[variable];
      return !value.absent() && !value.ours;
    });
  });
}

// "TPU_WORKER_ID", "TPU_WORKER_ID and TPU_NAME"
std::string users_of(const SliceReport& slice, std::initializer_list<Variable> wrong) {
  std::string out;
  for (const Variable variable : wrong)
    if (is_users(slice, variable))
      out += (out.empty() ? "" : " and ") + std::string(webhook::read::name(variable));
  return out;
}

// `with` is what has to be so when they are made again.
std::string again(const SliceReport& slice, const std::string& with) {
  const auto kind = slice.staying.empty() ? WorkloadKind::pod : slice.staying.front()->workload;
  if (slice.kind == "Pod" && slice.staying.size() > 1)  // of nobody
    return fmt::format("delete and recreate {}{}{}", names_of(slice.staying),
                       with.empty() ? "" : " ", with);
  // The Pods of a Job, for instance, count as failures when they are deleted.
  if (!webhook::workloads::row_of(kind).makes_again)
    return fmt::format("delete and recreate {} {}/{}{}{}", slice.kind, slice.ns, slice.group,
                       with.empty() ? "" : " ", with);
  print::ShellCommand command("kubectl -n");
  command.name(slice.ns).words("delete pod");
  for (const SeenPod* pod : slice.staying) command.name(pod->name);
  const bool told = slice.staying.size() <= most_deleted && !command.text().empty();
  return fmt::format(
      "{}{}delete all Pods of the slice together; their controller recreates them{}{}", with,
      with.empty() ? "" : ", ", told ? ": " : "", told ? command.text() : "");
}

}  // namespace

std::string recreate_hint(const SliceReport& slice, std::initializer_list<Variable> wrong) {
  if (const std::string why = in_vain(slice); !why.empty()) return vain_hint(why);
  const std::string users = users_of(slice, wrong);
  if (users.empty()) return remake_hint(slice);
  return again(slice, fmt::format("{}, and without a {} of your own", in_place, users));
}

std::string remake_hint(const SliceReport& slice) {
  return again(slice, in_place);
}

std::string restart_hint(const SliceReport& slice) {
  return again(slice, "");
}

std::string replace_hint(const SliceReport& slice, std::string_view also) {
  // What the webhook adds for it is there, and did not help.
  const bool asked = std::ranges::any_of(
      slice.staying, [](const SeenPod* pod) { return !pod->placement_key.empty(); });
  if (asked)
    return "their slice-key label and its terms already require it: check for spec.nodeName or a "
           "scheduler that ignores Pod affinity";
  if (const std::string why = in_vain(slice); !why.empty()) return vain_hint(why);
  return again(slice, fmt::format("{}, {}", in_place, also));
}

}  // namespace tpuwh::server::slices
