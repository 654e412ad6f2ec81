#include "kubectl/predict/explain/json.hpp"

#include "kubectl/reference/catalog/gcloud.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace tpuwh::server::explain {

namespace {

template <class T, class F>
Json list(const std::vector<T>& items, F&& each) {
  Json out = Json::array();
  std::ranges::transform(items, std::back_inserter(out), each);
  return out;
}

Json of_variable(const Variable& variable) {
  Json out{{"container", variable.container}, {"name", variable.name}};
  out[variable.from ? "from" : "value"] = variable.value;
  out["injected"] = variable.ours;
  if (variable.ours) out["why"] = variable.why;
  if (!variable.replaces.empty()) out["replaces"] = variable.replaces;
  return out;
}

Json of_member(const Member& member) {
  Json out{{"pod", member.pod}};
  if (member.host) out["host"] = *member.host;
  out["workerIds"] = member.worker_ids;
  out["variables"] = list(member.variables, of_variable);
  return out;
}

Json of_slice(const Slice& slice) {
  Json out{{"name", slice.name}};
  if (slice.index) out["index"] = *slice.index;
  out["missingHosts"] = slice.missing;
  out["variables"] = list(slice.variables, of_variable);
  out["members"] = list(slice.members, of_member);
  return out;
}

Json of_pools(const Group& group) {
  if (!group.no_pool.empty()) return {{"impossible", group.no_pool}};
  const topology::layout::NodePool& pool = *group.pool;
  const catalog::PoolOptions& options = group.pool_options;
  return {{"count", catalog::pool_count(pool, options)},
          {"machineType", pool.machine->name},
          {"nodesEach", catalog::nodes_of_pool(pool, options)},
          {"commands", list(catalog::gcloud_commands(pool, options),
                            [](const catalog::GcloudCommand& each) { return each.words; })}};
}

Json of_group(const Group& group) {
  Json out{{"title", group.title},
           {"accelerator", group.accelerator},
           {"topology", group.topology},
           {"hostsPerSlice", group.hosts},
           {"chipsPerHost", group.chips_per_host},
           {"processesPerHost", group.processes_per_host},
           {"slicesOfJob", group.slices_of_job},
           {"pods", group.pods},
           {"chips", group.chips()},
           {"variables", list(group.variables, of_variable)},
           {"placement", group.placement}};
  if (group.pool) out["nodePools"] = of_pools(group);
  out["slices"] = list(group.slices, of_slice);
  return out;
}

Json of_finding(const Finding& finding) {
  return {{"level", finding.denied ? "deny" : "warn"},
          {"id", finding.id},
          {"finding", finding.finding()},
          {"sentence", finding.sentence},
          {"fix", fixes::words(finding.fix)},
          {"how", fixes::json(finding.fix)},
          {"pods", finding.pods}};
}

Json of_unseen(const fields::Unseen& unseen) {
  return {{"kind", unseen.kind}, {"path", unseen.path}, {"times", unseen.times}};
}

Json of_wait(const outlook::Wait& wait) {
  const auto text_of = [](const fixes::Command& each) { return each.text(); };
  const auto value_of = [](const fixes::Command& each) { return fixes::json(each); };
  return {{"cause", outlook::name(wait.cause)},
          {"what", wait.what},
          {"help", list(wait.help, text_of)},
          {"commands", list(wait.help, value_of)}};
}

Json of_outlook(const outlook::WorkloadOutlook& outlook) {
  const auto of_place = [](const outlook::SlicePlace& place) {
    return Json{{"title", place.title}, {"pool", place.pool}};
  };
  return {{"verdict", outlook::name(outlook.verdict)},
          {"sentence", outlook.sentence},
          {"places", list(outlook.places, of_place)},
          {"waits", list(outlook.waits, of_wait)},
          {"notKnown", outlook.not_known}};
}

// From the inside to the outside.
Json of_holder(const source::Holder& holder) {
  return {{"kind", holder.kind},
          {"namespace", holder.ns},
          {"name", holder.name},
          {"path", holder.path}};
}

Json of_workload(const Workload& workload) {
  Json out{{"file", workload.file},
           {"kind", workload.kind},
           {"namespace", workload.ns},
           {"name", workload.name},
           {"verdict", name(workload.verdict)},
           {"sentence", workload.sentence},
           {"slices", workload.slices()},
           {"pods", workload.pods()},
           {"chips", workload.chips()},
           {"otherPods", workload.other_pods},
           {"claimingPods", workload.claiming_pods()},
           {"refusedPods", workload.refused_pods},
           {"podsLeftOut", workload.pods_left_out},
           {"groups", list(workload.groups, of_group)},
           {"findings", list(workload.findings, of_finding)},
           {"notes", workload.notes},
           {"notLookedAt", list(workload.unseen, of_unseen)}};
  if (workload.outlook) out["outlook"] = of_outlook(*workload.outlook);
  if (workload.origin) out["within"] = list(workload.origin->holders, of_holder);
  return out;
}

Json of_tried(const trial::Tried& tried) {
  return {{"what", tried.what},
          {"said", trial::name(tried.said)},
          {"sentence", tried.sentence},
          {"differs", tried.differs}};
}

}  // namespace

Json json(const Explanation& explanation) {
  Json out = {{"verdict", name(explanation.worst())},
              {"workloads", list(explanation.workloads, of_workload)},
              {"readBeside", explanation.beside},
              {"notLookedAt", list(explanation.unseen, of_unseen)},
              {"passedOver", explanation.passed_over},
              {"notRead", explanation.not_read},
              {"notKnown", explanation.not_known}};
  if (explanation.tried) out["dryRun"] = list(*explanation.tried, of_tried);
  return out;
}

}  // namespace tpuwh::server::explain
