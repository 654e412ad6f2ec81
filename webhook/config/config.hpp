// The settings that affect the decisions about Pods. Each function that needs the settings has a
// parameter for them; there are no global settings.
#pragma once

#include "webhook/config/kind.hpp"
#include "webhook/findings/finding.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::webhook::config {

enum class Mode {
  enforce,
  // Decide, log, warn of what would have been done, and allow every Pod unchanged.
  shadow,
};

// The settings that can be overridden for one workload API or for one namespace. A field without a
// value leaves the global setting in effect.
struct Override {
  std::optional<bool> placement;
  std::optional<bool> placement_hint;
};
struct WorkloadOverride : Override {
  std::optional<Mode> mode;
};
struct NamespaceOverride : Override {
  findings::Levels findings;
};

struct Config {
  Mode mode = Mode::enforce;

  // The workload APIs that are handled; Pods of others are left unchanged. For a
  // cluster where another injector owns an API.
  WorkloadSet workloads = WorkloadSet::all();

  // In front of our annotations and labels: "<prefix>slice-key". Ends with '/'.
  std::string prefix = "tpu-webhook.dev/";

  // Port of process 0 of a host in TPU_PROCESS_ADDRESSES; process c listens on
  // base_port + c. 8471 is libtpu's own default (docs/facts.md#ports).
  std::uint16_t base_port = 8471;

  // Service that resolves Ray workers: KubeRay up to 1.3 kept only the last 50
  // characters of "<cluster>-headless" (docs/facts.md#kuberay-service).
  bool kuberay_truncates_service_name = false;

  // TPU_NAME for every workload API, not for Ray and LeaderWorkerSet alone.
  bool tpu_name_everywhere = false;

  // TORCH_TPU_TOPOLOGY and TORCH_TPU_SLICEBUILDER_ADDRESSES, which torch_tpu reads and its
  // launchers set (docs/facts.md#torch-tpu). Off: nothing else reads them, and the list is
  // the longest of all.
  bool torch_tpu = false;

  // Add affinity terms that keep a multi-host slice whole (docs/decisions/0017).
  bool placement = true;

  // Beside them a preference away from node pools that cannot hold the slice whole
  // (docs/decisions/0023). Needs what a cluster knows of its Nodes.
  bool placement_hint = true;

  // If true, the Pods of a JobSet's Job get the node pool of the leader Pod of that Job, as with
  // JobSet's own webhook. This feature reads the Pods and Nodes of the cluster.
  bool followers = true;

  // Answer Pods that ask for chips by resource claim as if they asked for google.com/tpu, by what
  // the cluster's claims and templates say (docs/decisions/0040). Off: they are left unchanged, and
  // no review waits for a claim.
  bool claims = false;

  // Levels of findings other than their defaults.
  findings::Levels findings = {};

  // By WorkloadKind, and by the namespace's name.
  std::array<WorkloadOverride, workload_kinds> per_workload = {};
  std::map<std::string, NamespaceOverride, std::less<>> per_namespace = {};

  // Not chosen: who decides, for the answer to a probe. "" where no server runs.
  std::string replica = {};

  WorkloadOverride& of(WorkloadKind kind) { return per_workload[static_cast<std::size_t>(kind)]; }
  const WorkloadOverride& of(WorkloadKind kind) const {
    return per_workload[static_cast<std::size_t>(kind)];
  }

  // These functions return the value of a setting for a Pod. The value for the Pod's namespace
  // comes first, then the value for its workload API, then the global value. `mode` has no values
  // for namespaces. The functions are called for each Pod and allocate no memory.
  Mode mode_for(WorkloadKind kind) const { return of(kind).mode.value_or(mode); }
  bool placement_for(WorkloadKind kind, std::string_view ns) const {
    return overridden(&Override::placement, kind, ns).value_or(placement);
  }
  bool placement_hint_for(WorkloadKind kind, std::string_view ns) const {
    return overridden(&Override::placement_hint, kind, ns).value_or(placement_hint);
  }

  // Returns the level of a finding: the level that is set for the namespace, otherwise the level
  // that is set globally, otherwise the default level.
  findings::Level level_of(findings::Finding finding, std::string_view ns) const {
    const auto named = per_namespace.find(ns);
    if (named != per_namespace.end())
      if (const auto level = named->second.findings.find(finding)) return *level;
    return findings.find(finding).value_or(findings::row(finding).level);
  }

  // The same with every Pod allowed unchanged.
  Config in_shadow() const {
    Config shadow = *this;
    shadow.mode = Mode::shadow;
    for (WorkloadOverride& each : shadow.per_workload) each.mode.reset();
    return shadow;
  }

 private:
  std::optional<bool> overridden(std::optional<bool> Override::*member, WorkloadKind kind,
                                 std::string_view ns) const {
    const auto named = per_namespace.find(ns);
    if (named != per_namespace.end() && named->second.*member) return named->second.*member;
    return of(kind).*member;
  }
};

}  // namespace tpuwh::webhook::config
