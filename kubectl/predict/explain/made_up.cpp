#include "kubectl/predict/explain/made_up.hpp"

#include "base/edits.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

namespace tpuwh::server::explain {

namespace {

class Shown {
 public:
  explicit Shown(const std::vector<expand::MadeUpName>& names) : names_(names) {}

  void in(std::string& text) const {
    for (const auto& [name, shown] : names_) base::replace_all(text, name, shown);
  }
  void in(std::vector<std::string>& texts) const {
    for (std::string& each : texts) in(each);
  }
  // Nobody can run what names an object whose name only a cluster gives out, or write it.
  void in(std::vector<fixes::Command>& commands) const {
    std::erase_if(commands, [&](const fixes::Command& each) { return is_in(each.text()); });
  }
  void in(fixes::Fix& fix) const {
    if (auto* choice = std::get_if<fixes::Choice>(&fix)) return in(choice->sentence);
    std::string words = fixes::words(fix);
    if (!is_in(words) && !std::ranges::any_of(fixes::commands(fix),
                                              [&](const std::string& each) { return is_in(each); }))
      return;
    in(words);
    fix = fixes::Choice{std::move(words)};
  }
  void in(std::vector<Variable>& variables) const {
    for (Variable& each : variables) in(each.value);
  }
  void in(Slice& slice) const {
    in(slice.name);
    in(slice.variables);
    for (Member& member : slice.members) {
      in(member.pod);
      in(member.variables);
    }
  }
  void in(Group& group) const {
    in(group.placement);
    in(group.variables);
    for (Slice& slice : group.slices) in(slice);
  }
  void in(outlook::WorkloadOutlook& outlook) const {
    in(outlook.sentence);
    in(outlook.not_known);
    for (outlook::SlicePlace& place : outlook.places) in(place.title);
    for (outlook::Wait& wait : outlook.waits) {
      in(wait.what);
      in(wait.help);
    }
  }
  void in(Workload& workload) const {
    in(workload.name);
    in(workload.refusal);
    in(workload.scaled_to_none);
    in(workload.notes);
    for (Finding& finding : workload.findings) {
      in(finding.sentence);
      in(finding.fix);
    }
    for (Group& group : workload.groups) in(group);
    if (workload.outlook) in(*workload.outlook);
  }

 private:
  bool is_in(std::string_view text) const {
    return std::ranges::any_of(names_, [&](const expand::MadeUpName& each) {
      return text.find(each.name) != std::string_view::npos;
    });
  }

  const std::vector<expand::MadeUpName>& names_;
};

}  // namespace

void show_made_up(const std::vector<expand::MadeUpName>& names, Workload& workload) {
  if (!names.empty()) Shown(names).in(workload);
}

}  // namespace tpuwh::server::explain
