// The workload APIs in the order in which they are asked. The first that claims a
// Pod speaks for it: a JobSet's Pod is a Job's Pod too, and JobSet knows more. Who it is comes
// from the Pod alone (docs/decisions/0011). What differs from one API to the next is a column of
// its row; docs/architecture.md, "Adding a workload API", says how to add one.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/read/pod.hpp"
#include "webhook/workloads/member.hpp"
#include "webhook/workloads/object_kind.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tpuwh::webhook::workloads {

struct WorkloadContext {
  const read::Pod& pod;
  std::string_view ns;
  const config::Config& config;
  const read::ClusterView& cluster;
  std::string& service;  // holds a Service name that had to be put together
};

// An index under a key of the Pod's, by which messages call it.
inline IndexLabel index_under(read::Label key, const read::Pod& pod) {
  return {read::spelled(key), pod.label(key)};
}
inline IndexLabel index_under(read::Annotation key, const read::Pod& pod) {
  return {read::spelled(key), pod.annotation(key)};
}

struct Workload {
  std::string_view name;  // "jobset"
  config::WorkloadKind kind;
  bool (*claims)(const read::Pod& pod);
  // What `claims` tests, in CEL, for the API server to tell these Pods from others. `labels` is the
  // Pod's map of labels, `owner_kind` the kind of its owner or ''. Only what the controller itself
  // writes into its Pods may stand in it: a label that another webhook adds would bring a Pod from
  // one entry of the configuration to another between two calls.
  std::string_view cel;
  // The key of a label that all of them have, "" where there is none. Whoever has the key, with
  // whatever value, reaches the entry of this API, unless modes differ.
  std::string_view label_key = {};
  // Fills `member`; never fails. What is missing stays empty.
  void (*identify)(const WorkloadContext& context, Member& member);

  // ---- for people: ends of sentences
  std::string_view host_from = "annotation worker-id";  // "the Job's completion index"
  std::string_view slice_from = "annotation slice-id, else the completion index";
  std::string_view slices_from = "annotation slice-count";  // how many form one job
  std::string_view service_by = {};       // who makes the headless Service; "" where the user does
  std::string_view service_selects = {};  // else: ", by their label ..."
  std::string_view part_is = {};  // "replicated job": what Member::part names, a template each

  // ---- for tools
  std::string_view name_label = {};  // of a Pod, with Member::group; "" where its owner says it
  std::string_view group_kind = {};  // the kind of that
  // Its controller makes a Pod again that was deleted, and does not count it as failed.
  bool makes_again = true;
  std::span<const ObjectKind> objects = {};  // that make such Pods, and are checked
};

std::span<const Workload> workloads();

// The row of a kind, and of a name ("jobset"); of an unknown name, the last.
const Workload& row_of(config::WorkloadKind kind);
const Workload& row_of(std::string_view name);

// The kind of an API group, whichever workload API it belongs to; null where there is none.
struct Checked {
  const Workload* workload;
  const ObjectKind* object;
};
std::optional<Checked> find_object(std::string_view group, std::string_view kind);
bool is_checked(std::string_view kind);

// `pattern` of Written with its places filled in.
std::string filled(std::string_view pattern, std::string_view name, std::string_view part,
                   std::string_view index);

// The one that claims the Pod; the last of the table claims every Pod.
const Workload& workload_of(const read::Pod& pod);

}  // namespace tpuwh::webhook::workloads
