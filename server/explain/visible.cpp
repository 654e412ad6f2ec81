#include "server/explain/visible.hpp"

#include "server/text/visible.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::explain {

namespace {

void show(std::string& text) {
  text = text::visible(text);
}

void show_lines(std::string& text) {
  text = text::visible(text, true);
}

void show(std::vector<std::string>& texts) {
  for (std::string& each : texts) show(each);
}

void show(std::vector<Variable>& variables) {
  for (Variable& each : variables) {
    show(each.container);
    show(each.value);
  }
}

void show(Slice& slice) {
  show(slice.name);
  show(slice.variables);
  for (Member& member : slice.members) {
    show(member.pod);
    show(member.variables);
  }
}

void show(Group& group) {
  show(group.title);
  show(group.accelerator);
  show(group.topology);
  show(group.placement);
  show(group.variables);
  for (Slice& slice : group.slices) show(slice);
}

void show(outlook::WorkloadOutlook& outlook) {
  show(outlook.sentence);
  show(outlook.not_known);
  for (outlook::SlicePlace& place : outlook.places) {
    show(place.title);
    show(place.pool);
  }
  for (outlook::Wait& wait : outlook.waits) {
    show(wait.what);
    for (std::string& help : wait.help) show_lines(help);
  }
}

void show(Workload& workload) {
  for (std::string* each :
       {&workload.file, &workload.kind, &workload.ns, &workload.name, &workload.sentence})
    show(*each);
  show(workload.notes);
  for (Finding& finding : workload.findings) {
    show(finding.sentence);
    show(finding.fix);
  }
  for (Group& group : workload.groups) show(group);
  if (workload.outlook) show(*workload.outlook);
}

}  // namespace

void make_visible(Explanation& explanation) {
  for (Workload& workload : explanation.workloads) show(workload);
  for (auto* texts : {&explanation.beside, &explanation.passed_over, &explanation.not_known})
    show(*texts);
}

}  // namespace tpuwh::server::explain
