// Pods without chips that the scheduler takes for members of a slice.
#include "server/slices/audit.hpp"
#include "server/text/shell_command.hpp"
#include "webhook/text/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tpuwh::server::slices {

namespace {

using webhook::text::printable;

// While no member is bound, the scheduler looks for the first one's place where that Pod is.
void find_stray(const SliceReport& slice, const StrayPod& stray, Findings& findings) {
  const bool begun = slice.unbound < slice.members.size();
  const std::string what = fmt::format(
      "Pod {} has no chips and the label {} of this slice, so the scheduler takes it for a "
      "member{}",
      printable(stray.name, 100), stray.label,
      begun ? ""
            : "; want none: no member is bound, and the first may only go to that Pod's node pool");
  const std::string command = text::ShellCommand("kubectl -n")
                                  .name(stray.ns)
                                  .words("label pod")
                                  .name(stray.name)
                                  .arg(stray.label + "-")
                                  .text();
  const std::string fix =
      command.empty() ? "take the label off that Pod" : "take the label off it: " + command;
  if (begun)
    findings.warn("stray-slice-key", slice, {}, what, fix);
  else
    findings.error("stray-slice-key", slice, {}, what, fix);
}

}  // namespace

void check_strays(const std::vector<SliceReport>& slices, Findings& findings) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const StrayPod*>> strays;
  for (const StrayPod& each : findings.cluster().strays)
    strays[{each.ns, each.placement_key}].push_back(&each);
  if (strays.empty()) return;
  for (const SliceReport& slice : slices) {
    if (slice.members.empty()) continue;
    const auto found = strays.find({slice.ns, slice.members.front()->placement_key});
    if (found == strays.end()) continue;
    for (const StrayPod* stray : found->second) find_stray(slice, *stray, findings);
  }
}

}  // namespace tpuwh::server::slices
