#include "webhook/answer/reasons.hpp"

#include "webhook/read/vocabulary.hpp"
#include "webhook/write/patch.hpp"
#include "webhook/write/surface.hpp"

namespace tpuwh::webhook::answer {

namespace {

std::string_view where_host_comes_from(std::string_view workload) {
  if (workload == "ray") return "label ray.io/replica-host-index, else the ledger";
  if (workload == "lws") return "label leaderworkerset.sigs.k8s.io/worker-index";
  if (workload == "statefulset") return "the StatefulSet's ordinal";
  if (workload == "job" || workload == "jobset") return "the Job's completion index";
  return "annotation worker-id";
}

std::string_view where_slice_comes_from(std::string_view workload) {
  if (workload == "ray") return "label ray.io/worker-group-replica-index, else the ledger";
  if (workload == "jobset") return "label jobset.sigs.k8s.io/job-index";
  if (workload == "lws") return "the subgroup of its worker-index";
  if (workload == "statefulset") return "the StatefulSet's ordinal";
  return "annotation slice-id, else the completion index";
}

}  // namespace

std::string explain_variable(std::string_view variable, std::string_view workload) {
  const auto known = read::find_variable(variable);
  if (!known) return "";
  switch (*known) {
    case read::Variable::megascale_num_slices:
      return "slices of the job, from label jobset.sigs.k8s.io/replicatedjob-replicas";
    case read::Variable::megascale_slice_id:
      return "which slice of the job this is, from " +
             std::string(where_slice_comes_from(workload));
    case read::Variable::megascale_coordinator_address:
      return "host 0 of slice 0, where all slices meet";
    case read::Variable::megascale_port:
      return workload == "ray" ? "8081 and up: Ray serves metrics on 8080"
                               : "8080, MegaScale's own, one up for each container";
    case read::Variable::tpu_worker_hostnames:
      return "DNS names of all hosts of the slice, in the order of their ids";
    case read::Variable::tpu_process_addresses:
      return "one address for each process of the slice; TPU7x needs ports";
    case read::Variable::tpu_process_port:
      return "the port of this container's own entry in TPU_PROCESS_ADDRESSES";
    case read::Variable::tpu_worker_id:
      return "place of this process in the lists, from " +
             std::string(where_host_comes_from(workload));
    case read::Variable::tpu_name:
      return "name of the slice, the same on all its hosts";
    case read::Variable::tpu_device_plugin_host_ip:
      return "the node's address, for the variable after it";
    case read::Variable::tpu_device_plugin_addr:
      return "where Ray's dashboard reads TensorCore and memory metrics";
    case read::Variable::torch_tpu_topology:
      return "the slice's dimensions for torch_tpu; on TPU7x the fourth is a chip's two chiplets";
    case read::Variable::torch_tpu_slicebuilder_addresses:
      return "one address for each device of the slice, host by host, for torch_tpu";
    case read::Variable::count_:
      break;
  }
  return "";
}

std::string explain_path(std::string_view op, std::string_view path, std::string_view prefix) {
  write::Patch escaper;
  escaper.clear(prefix);
  const write::PatchOp kind = op == "add"       ? write::PatchOp::add
                              : op == "replace" ? write::PatchOp::replace
                                                : write::PatchOp::remove;
  const write::SurfaceRow* row = write::find_row(kind, path, escaper.escaped_prefix());
  return row == nullptr ? "" : std::string(row->why);
}

std::string explain_reason(std::string_view reason) {
  struct Sentence {
    std::string_view reason, text;
  };
  static constexpr Sentence sentences[] = {
      {"injected", "the slice and this member's place in it are known"},
      {"already_done", "all that the slice needs is there"},
      {"not_a_pod", "only the creation of a Pod is changed"},
      {"no_tpu", "no container asks for google.com/tpu"},
      {"opted_out", "the Pod asks to be left alone (annotation inject: \"false\")"},
      {"single_host", "a slice of one host: the device plugin sets what it needs"},
      {"no_identity", "nothing says which member of the slice this Pod is"},
      {"no_topology", "the topology is not known"},
      {"no_subdomain", "the hosts of the slice have no DNS names"},
      {"inconsistent", "what the Pod says contradicts itself; nothing is guessed"},
      {"bad_topology", "such a slice cannot exist"},
      {"bad_index", "an index is no plain decimal in its range"},
      {"bad_name", "a name cannot be a DNS name"},
      {"too_long", "a variable would be longer than the kernel takes"},
      {"bad_quantity", "google.com/tpu is no whole number of chips"},
      {"checked", "no template in it makes a slice that could never start"},
      {"never_works", "slices of it could never start"},
      {"internal_error", "a fault of tpu-webhook"},
  };
  for (const Sentence& sentence : sentences)
    if (sentence.reason == reason) return std::string(sentence.text);
  return std::string(reason);
}

}  // namespace tpuwh::webhook::answer
