// Pods without chips that the scheduler takes for members of a slice.
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/print/shell_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace tpuwh::server::slices {

namespace {

using Strays = std::vector<const StrayPod*>;

// As many as a finding names are in the command.
constexpr std::size_t most_told = 4;

std::string fix_of(const Strays& strays) {
  const bool one = strays.size() == 1;
  print::ShellCommand command("kubectl -n");
  command.name(strays.front()->ns).words("label pod");
  for (const StrayPod* each : std::span(strays).first(std::min(strays.size(), most_told)))
    command.name(each->name);
  command.arg(strays.front()->label + "-");
  if (command.text().empty())
    return one ? "remove the label from that Pod" : "remove the label from those Pods";
  return fmt::format("remove the label from {}: {}",
                     one                          ? "it"
                     : strays.size() <= most_told ? "them"
                                                  : "all of them, these first",
                     command.text());
}

// While no member is bound, the scheduler looks for the first one's place where that Pod is.
void find_strays(const SliceReport& slice, const Strays& strays, Findings& findings) {
  const bool begun = slice.unbound < slice.staying.size(), one = strays.size() == 1;
  const std::string what = fmt::format(
      "{} {} no chips and the label {} of this slice, so the scheduler takes {}{}",
      names_of(strays), one ? "has" : "have", strays.front()->label,
      one ? "it for a member" : "them for members",
      begun ? ""
            : fmt::format(
                  "; expected none: no member is bound, and the first may only go to {} node pool",
                  one ? "that Pod's" : "one such Pod's"));
  if (begun)
    findings.warn("stray-slice-key", slice, {}, what, fix_of(strays));
  else
    findings.error("stray-slice-key", slice, {}, what, fix_of(strays));
}

}  // namespace

void check_strays(const std::vector<SliceReport>& slices, Findings& findings) {
  std::map<std::pair<std::string_view, std::string_view>, Strays> strays;
  for (const StrayPod& each : findings.cluster().strays)
    strays[{each.ns, each.placement_key}].push_back(&each);
  if (strays.empty()) return;
  for (const SliceReport& slice : slices) {
    if (slice.staying.empty()) continue;
    const auto found = strays.find({slice.ns, slice.staying.front()->placement_key});
    if (found == strays.end()) continue;
    find_strays(slice, found->second, findings);
  }
}

}  // namespace tpuwh::server::slices
