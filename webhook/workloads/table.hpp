// The workload APIs in the order in which they are asked. The first that claims a
// Pod speaks for it: a JobSet's Pod is a Job's Pod too, and JobSet knows more. Who it is comes
// from the Pod alone (docs/decisions/0011).
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/read/pod.hpp"
#include "webhook/workloads/member.hpp"

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

struct Workload {
  std::string_view name;  // "jobset"
  config::WorkloadKind kind;
  bool (*claims)(const read::Pod& pod);
  // What `claims` tests, in CEL, for the API server to tell these Pods from others. `labels` is the
  // Pod's map of labels, `owner_kind` the kind of its owner or ''. Only what the controller itself
  // writes into its Pods may stand in it: a label that another webhook adds would bring a Pod from
  // one entry of the configuration to another between two calls.
  std::string_view cel;
  // A label that all of them have, "" where there is none; with no value, whatever its value.
  std::string_view label_key = {}, label_value = {};
  // Fills `member`; never fails. What is missing stays empty.
  void (*identify)(const WorkloadContext& context, Member& member);
};

std::span<const Workload> workloads();

// The one that claims the Pod; the last of the table claims every Pod.
const Workload& workload_of(const read::Pod& pod);

}  // namespace tpuwh::webhook::workloads
