#include "kubectl/predict/outlook/around.hpp"

#include "kubectl/predict/outlook/help.hpp"
#include "kubectl/predict/outlook/words.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <set>

namespace tpuwh::server::outlook {

namespace {

using fixes::Command;
using fixes::Verb;

// Nothing where no label is known that the Pods have in common.
void help_with_service(const WantedWorkload& workload, const std::string& name, Help& help) {
  const std::string label =
      workload.slices.empty() ? std::string() : common_label(workload.slices.front().member);
  if (!label.empty()) help.apply_service(workload.ns, name, label);
}

Wait missing(const WantedWorkload& workload, const std::string& name) {
  Help help;
  help_with_service(workload, name, help);
  return {Cause::service,
          fmt::format("the Pods name Service {} as their subdomain, and namespace {} has none of "
                      "that name; without a headless one (clusterIP: None) no host resolves",
                      plain(name), plain(workload.ns)),
          help.take()};
}

// A Service's clusterIP cannot be changed, and who else uses it is not known.
Wait not_headless(const WantedWorkload& workload, const std::string& name) {
  Help help;
  help.add(Command::kubectl(Verb::get, workload.ns).of("service", name));
  return {Cause::service,
          fmt::format("Service {}/{}, which the Pods name as their subdomain, is not headless, and "
                      "with a cluster IP no host resolves; make another one with clusterIP: None "
                      "and name that as the subdomain",
                      plain(workload.ns), plain(name)),
          help.take()};
}

std::vector<std::string> gates_of(const Json& member) {
  std::vector<std::string> out;
  const Json& gates = text::member(text::member(member, "spec"), "schedulingGates");
  if (!gates.is_array()) return out;
  for (const Json& gate : gates) {
    const std::string name = text::text_member(gate, "name");
    if (!name.empty() && !name.starts_with(webhook::read::key::kueue_gate_prefix))
      out.push_back(name);
  }
  return out;
}

// Gates are merged by their names: core/v1 PodSpec of k8s.io/api (1.36), patchMergeKey.
std::string patch_of(const std::string& gate) {
  const Json removed = {{"$patch", "delete"}, {"name", gate}};
  return text::dump_json({{"spec", {{"schedulingGates", Json::array({removed})}}}});
}

Wait closed(const WantedWorkload& workload, const Json& member, const std::string& gate) {
  Help help;
  const std::string label = common_label(member);
  if (workload.kind == "Pod")
    help.add(Command::kubectl(Verb::patch, workload.ns)
                 .of("pod", workload.name)
                 .words("-p")
                 .arg(patch_of(gate)));
  // xargs writes a Pod's name wherever POD stands.
  else if (!label.empty() && (workload.ns + gate).find("POD") == std::string::npos)
    help.add(Command::kubectl(Verb::get, workload.ns)
                 .of("pods")
                 .words("-l")
                 .arg(label)
                 .words("-o name | xargs -I POD kubectl -n")
                 .name("", workload.ns)
                 .words("patch POD -p")
                 .arg(patch_of(gate)));
  return {
      Cause::gate,
      fmt::format("the Pods have scheduling gate {}: whoever set it must remove it", plain(gate)),
      help.take()};
}

}  // namespace

void look_at_services(const ClusterState& cluster, const WantedWorkload& workload,
                      WorkloadOutlook& out) {
  for (const std::string& name : workload.services) {
    const auto found = cluster.services.find({workload.ns, name});
    if (found != cluster.services.end() && found->second) continue;
    if (found != cluster.services.end())
      out.waits.push_back(not_headless(workload, name));
    else if (cluster.knows_services)
      out.waits.push_back(missing(workload, name));
    else
      out.not_known.push_back(
          fmt::format("whether there is a headless Service {}/{}: Services "
                      "were not read",
                      plain(workload.ns), plain(name)));
  }
}

void look_at_gates(const WantedWorkload& workload, WorkloadOutlook& out) {
  std::set<std::string> told;
  for (const WantedSlice& slice : workload.slices)
    for (const std::string& gate : gates_of(slice.member))
      if (told.insert(gate).second) out.waits.push_back(closed(workload, slice.member, gate));
}

}  // namespace tpuwh::server::outlook
