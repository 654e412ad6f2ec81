#include "webhook/reasons/reasons.hpp"

#include "webhook/read/vocabulary.hpp"
#include "webhook/reasons/declared.hpp"
#include "webhook/workloads/table.hpp"
#include "webhook/write/patch.hpp"
#include "webhook/write/surface.hpp"

namespace tpuwh::webhook::reasons {

std::string explain_variable(std::string_view variable, std::string_view workload) {
  const auto known = read::find_variable(variable);
  if (!known) return "";
  const workloads::Workload& row = workloads::row_of(workload);
  switch (*known) {
    case read::Variable::megascale_num_slices:
      return std::string("number of slices in the job, from ") + std::string(row.slices_from);
    case read::Variable::megascale_slice_id:
      return "index of this slice in the job, from " + std::string(row.slice_from);
    case read::Variable::megascale_coordinator_address:
      return "host 0 of slice 0, where all slices meet";
    case read::Variable::megascale_port:
      return row.kind == config::WorkloadKind::ray
                 ? "8081 and up: Ray serves metrics on 8080"
                 : "8080, MegaScale's default, plus 1 for each further container";
    case read::Variable::tpu_worker_hostnames:
      return "DNS names of all hosts of the slice, in the order of their ids";
    case read::Variable::tpu_process_addresses:
      return "one address for each process of the slice; TPU7x needs ports";
    case read::Variable::tpu_process_port:
      return "the port of this container's own entry in TPU_PROCESS_ADDRESSES";
    case read::Variable::tpu_worker_id:
      return "index of this process in the lists: in a slice of several hosts from " +
             std::string(row.host_from);
    case read::Variable::tpu_name:
      return "name of the slice, the same on all its hosts";
    case read::Variable::tpu_device_plugin_host_ip:
      return "the node's address, for the variable after it";
    case read::Variable::tpu_device_plugin_addr:
      return "where Ray's dashboard reads TensorCore and memory metrics";
    case read::Variable::torch_tpu_topology:
      return "the slice's dimensions for torch_tpu; on TPU7x the fourth is the two chiplets of a "
             "chip";
    case read::Variable::torch_tpu_slicebuilder_addresses:
      return "one address for each device of the slice, host by host, for torch_tpu";
    default:  // a variable that is never injected
      break;
  }
  return "";
}

std::string explain_path(std::string_view op, std::string_view path, std::string_view prefix) {
  write::Patch escaper;
  escaper.clear(prefix);
  const auto kind = op_of(op);
  const write::SurfaceRow* row = kind ? find_row(*kind, path, escaper.escaped_prefix()) : nullptr;
  return row == nullptr ? "" : std::string(row->why);
}

std::string_view explain_reason(outcome::Reason reason) {
  switch (reason) {
    case outcome::Reason::injected:
      return "the slice and this member's place in it are known";
    case outcome::Reason::already_done:
      return "everything the slice needs is already set";
    case outcome::Reason::not_a_pod:
      return "neither a Pod that is created nor an object whose Pods are checked";
    case outcome::Reason::no_tpu:
      return "no container asks for google.com/tpu";
    case outcome::Reason::switched_off:
      return "this workload API is switched off (--workloads)";
    case outcome::Reason::opted_out:
      return "the Pod opts out (annotation inject: \"false\")";
    case outcome::Reason::single_host:
      return "a slice of one host: the device plugin sets what it needs";
    case outcome::Reason::no_identity:
      return "nothing says which member of the slice this Pod is";
    case outcome::Reason::no_place:
      return "the ledger has no free place now";
    case outcome::Reason::no_claim:
      return "a resource claim that its chips depend on cannot be read now";
    case outcome::Reason::no_topology:
      return "the topology is not known";
    case outcome::Reason::no_subdomain:
      return "the hosts of the slice have no DNS names";
    case outcome::Reason::inconsistent:
      return "the Pod contradicts itself; nothing is guessed";
    case outcome::Reason::bad_topology:
      return "such a slice cannot exist";
    case outcome::Reason::bad_index:
      return "an index is not a whole number in range";
    case outcome::Reason::bad_name:
      return "a name is not a valid DNS name";
    case outcome::Reason::too_long:
      return "a variable or the patch would be too long";
    case outcome::Reason::bad_quantity:
      return "google.com/tpu is not a whole number of chips";
    case outcome::Reason::forbidden:
      return "the configuration refuses this finding";
    case outcome::Reason::checked:
      return "none of its templates makes a slice that could never start";
    case outcome::Reason::never_works:
      return "its slices could never start";
    case outcome::Reason::unreadable:
      return "the request is not a readable AdmissionReview";
    case outcome::Reason::too_large:
      return "the request is too large";
    case outcome::Reason::internal_error:
      return "an internal error of tpu-webhook";
  }
  return "";
}

}  // namespace tpuwh::webhook::reasons
