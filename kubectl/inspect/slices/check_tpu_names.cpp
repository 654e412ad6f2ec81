// TPU_NAME: by it Ray knows the nodes of a slice. One in a slice, another in each.
#include "base/names.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/recreate.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace tpuwh::server::slices {

namespace {

using webhook::read::Variable;

using Names = std::map<std::string, const SeenPod*>;

Names names_in(const SliceReport& slice) {
  Names out;
  for (const SeenPod* pod : slice.staying)
    for (const TpuProcess& process : pod->processes)
      if (const EnvValue& name = process[Variable::tpu_name]; name.literal() && !name.text.empty())
        out.try_emplace(name.text, pod);
  return out;
}

// LeaderWorkerSet gives all subgroups of a group one name (docs/facts.md#lws-subgroups), which
// only Ray minds.
void tell_shared(const SliceReport& slice, const SliceReport& other, const std::string& name,
                 Findings& findings) {
  std::string what = fmt::format(
      "TPU_NAME \"{}\" is also that of {}; expected a different one for each slice, else Ray takes "
      "the two for one",
      base::printable(name), other.full_name());
  if (slice.staying.front()->workload == webhook::config::WorkloadKind::ray)
    return findings.error("tpu-name-shared", slice, slice.staying, std::move(what),
                          recreate_hint(slice, {Variable::tpu_name}));
  findings.warn("tpu-name-shared", slice, slice.staying, std::move(what),
                "if Ray runs in these Pods, set a TPU_NAME for each slice before it starts; else "
                "no action is needed");
}

}  // namespace

void check_tpu_names(const std::vector<SliceReport>& slices, Findings& findings) {
  using Scope = std::array<std::string, 4>;  // names count within one owner
  std::map<Scope, const SliceReport*> owners;
  for (const SliceReport& slice : slices) {
    const auto names = names_in(slice);
    if (names.size() > 1 && slice.multi_host())
      findings.error(
          "tpu-name-differs", slice, {names.begin()->second, names.rbegin()->second},
          fmt::format("TPU_NAME is \"{}\" on Pod {} and \"{}\" on Pod {}; expected one per slice",
                      base::printable(names.begin()->first), names.begin()->second->name,
                      base::printable(names.rbegin()->first), names.rbegin()->second->name),
          recreate_hint(slice, {Variable::tpu_name}));
    for (const auto& [name, pod] : names) {
      const auto [found, fresh] =
          owners.try_emplace(Scope{slice.ns, slice.kind, slice.group, name}, &slice);
      if (fresh || found->second == &slice) continue;
      tell_shared(slice, *found->second, name, findings);
    }
  }
}

}  // namespace tpuwh::server::slices
