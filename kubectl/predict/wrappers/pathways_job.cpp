#include "kubectl/predict/wrappers/pathways_job.hpp"

#include "base/names.hpp"
#include "kubectl/predict/wrappers/jobset.hpp"
#include "kubectl/predict/wrappers/pathways_pods.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tpuwh::server::wrappers {

namespace {

using expand::array_or_empty;
using expand::check_counts;
using expand::check_members;
using expand::need_object;
using expand::need_text;
using expand::object_or_empty;
using expand::Shape;

constexpr const char* exclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";

// source: calculateVMsFromMachineTypeAndTopology. A part that is no number is 0, as Atoi has it.
std::uint64_t hosts_of(std::string_view topology, const Machine& machine) {
  std::uint64_t chips = 1;
  while (true) {
    const auto end = topology.find('x');
    chips = expand::multiply(chips, base::plain_decimal(topology.substr(0, end)).value_or(0));
    if (end == topology.npos) break;
    topology.remove_prefix(end + 1);
  }
  return std::max<std::uint64_t>(chips / machine.chips, 1);
}

Result<void> check_controller(const Json& spec) {
  const auto controller = need_object(spec, "controller", "spec");
  if (!controller) return controller.error();
  const std::string path = "spec.controller";
  if (auto good = check_members(
          **controller,
          {{"mainContainerName", Shape::string}, {"enableMetricsCollection", Shape::boolean}},
          path);
      !good)
    return good;
  if (auto good = check_counts(**controller, {"elasticSlices"}, path); !good) return good;
  const std::string mode = text::text_member(**controller, "deploymentMode");
  if (mode != "default" && mode != "colocate_head_with_workers")
    return bad_value("must be default or colocate_head_with_workers", path + ".deploymentMode");
  if (!(*controller)->contains("template")) return {};
  const auto found = expand::need_template(**controller, "template", path);
  if (!found) return found.error();
  return {};
}

Result<void> check_components(const Json& spec) {
  if (auto good = check_members(spec, {{"customComponents", Shape::objects}}, "spec"); !good)
    return good;
  for (const Json& each : array_or_empty(spec, "customComponents"))
    if (auto good =
            check_members(each, {{"customFlags", Shape::strings}, {"customEnv", Shape::objects}},
                          "spec.customComponents");
        !good)
      return good;
  return {};
}

Result<const Json*> worker_of(const Json& spec) {
  if (auto good = check_members(spec, {{"workers", Shape::objects}}, "spec"); !good)
    return good.error();
  const Json& workers = array_or_empty(spec, "workers");
  if (workers.size() != 1)
    return bad_value(fmt::format("must be one type of worker, got {}", workers.size()),
                     "spec.workers");
  const std::string path = "spec.workers[0]";
  if (auto good = check_members(
          workers[0], {{"nodeSelector", Shape::string_map}, {"priorityClassName", Shape::string}},
          path);
      !good)
    return good.error();
  if (auto good = check_counts(workers[0], {"numSlices", "maxSliceRestarts"}, path); !good)
    return good.error();
  for (const char* key : {"type", "topology"})
    if (auto found = need_text(workers[0], key, path); !found) return found.error();
  return &workers[0];
}

// Of the PathwaysJob; the Pods of the head have them, too.
Json head_annotations(const Json& object, bool colocated) {
  Json out = object_or_empty(object_or_empty(object, "metadata"), "annotations");
  if (!colocated) out[exclusive] = "kubernetes.io/hostname";
  return out;
}

Json head_job(const Json& object, const Pathways& pathways) {
  const Json annotations = head_annotations(object, pathways.colocated);
  Json job{{"backoffLimit", 0}, {"completions", 1}, {"parallelism", 1}};
  job["template"]["metadata"]["annotations"] = annotations;
  job["template"]["spec"] = head_spec(pathways);
  Json out{{"name", "pathways-head"}, {"replicas", 1}};
  out["template"]["metadata"]["annotations"] = annotations;
  out["template"]["spec"] = std::move(job);
  return out;
}

Json worker_job(const Pathways& pathways) {
  Json job{{"backoffLimit", expand::multiply(pathways.hosts, 4)},
           {"completions", pathways.hosts},
           {"parallelism", pathways.hosts}};
  job["template"]["metadata"]["annotations"][exclusive] = "cloud.google.com/gke-nodepool";
  job["template"]["spec"] = worker_spec(pathways);
  Json out{{"name", "worker"}, {"replicas", expand::count_or(pathways.worker, "numSlices", 0)}};
  out["template"]["spec"] = std::move(job);
  return out;
}

Json jobset_of(const Json& object, const expand::Owner& self, const Pathways& pathways) {
  Json out = begin_jobset(self, object_or_empty(object, "metadata"));
  Json& spec = out["spec"];
  spec["startupPolicy"]["startupPolicyOrder"] = "InOrder";
  spec["failurePolicy"]["maxRestarts"] = expand::count_or(pathways.spec, "maxRestarts", 0);
  if (pathways.controller.contains("template"))
    spec["successPolicy"] = {{"operator", "All"},
                             {"targetReplicatedJobs", Json::array({"pathways-head"})}};
  spec["coordinator"] = {{"replicatedJob", "pathways-head"}, {"jobIndex", 0}, {"podIndex", 0}};
  spec["replicatedJobs"] = Json::array({head_job(object, pathways), worker_job(pathways)});
  return out;
}

void tell_where(const expand::Owner& self, const Pathways& pathways, source::Origin& origin) {
  const auto written = [&](const char* part, const char* at) {
    origin.written.push_back({part, self.kind, self.ns, self.name, at});
  };
  written("/metadata", "/metadata");
  written("/spec/replicatedJobs/1/replicas", "/spec/workers/0/numSlices");
  const std::string worker = "/spec/replicatedJobs/1/template/spec/template/spec";
  written((worker + "/nodeSelector").c_str(), "/spec/workers/0/nodeSelector");
  written((worker + "/nodeSelector/cloud.google.com~1gke-tpu-topology").c_str(),
          "/spec/workers/0/topology");
  written((worker + "/priorityClassName").c_str(), "/spec/workers/0/priorityClassName");
  // The accelerator follows from the machine type.
  origin.written.push_back(
      {worker + "/nodeSelector/cloud.google.com~1gke-tpu-accelerator", {}, {}, {}, {}});
  if (!pathways.controller.contains("template") || pathways.colocated) return;
  written("/spec/replicatedJobs/0/template/spec/template/spec", "/spec/controller/template/spec");
}

}  // namespace

Making make_of_pathways_job(const Json& object, const expand::Owner& self, const Beside&) {
  const auto spec = need_object(object, "spec", "");
  if (!spec) return refused(spec.error());
  if (auto good = check_counts(**spec, {"maxRestarts"}, "spec"); !good)
    return refused(good.error());
  if (auto good = check_controller(**spec); !good) return refused(good.error());
  if (auto good = check_components(**spec); !good) return refused(good.error());
  const auto worker = worker_of(**spec);
  if (!worker) return refused(worker.error());
  const std::string type = text::text_member(**worker, "type");
  const Machine* machine = find_machine(type);
  if (machine == nullptr)
    return refused(
        bad_value(fmt::format("{} is not a machine type of Pathways", base::printable(type)),
                  "spec.workers[0].type"));
  const Json& controller = object_or_empty(**spec, "controller");
  const std::string topology = text::text_member(**worker, "topology");
  const Pathways pathways{
      .name = self.name,
      .spec = **spec,
      .worker = **worker,
      .controller = controller,
      .machine = *machine,
      .topology = topology,
      .hosts = hosts_of(topology, *machine),
      .colocated = text::text_member(controller, "deploymentMode") != "default"};
  Making out;
  Made& made = out.made.emplace_back();
  made.object = jobset_of(object, self, pathways);
  tell_where(self, pathways, made.origin);
  made.origin.notes.emplace_back(
      "its JobSet is as the source of pathways-job c0cc759 has it, which was read and not run");
  return out;
}

}  // namespace tpuwh::server::wrappers
