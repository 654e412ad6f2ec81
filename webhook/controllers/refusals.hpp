// The faults for which the API server or an operator refuses an object, or refuses a child that the
// controller of the object makes. The refusal of a child is often only an event that nobody reads.
// The input is text as it was written in the object, and the output is sentences.
//
//   source  kubernetes v1.36.3 pkg/apis/batch/validation, pkg/apis/apps/validation,
//           pkg/registry/batch/job/strategy.go; jobset v0.12.0 pkg/webhooks/jobset_webhook.go;
//           kuberay v1.4.0 to v1.6.2 ray-operator/controllers/ray/utils/validation.go, constant.go
#pragma once

#include "webhook/controllers/counts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::controllers {

using Refusals = std::vector<std::string>;

// What every maker of Pods looks at in its template.
struct TemplateWords {
  std::string_view restart_policy = {};  // "" where absent
  bool has_deadline = false;             // activeDeadlineSeconds
};

enum class JobMaker { person, cron_job, jobset };

struct JobWords {
  JobNumbers numbers;
  TemplateWords pod;
  bool has_failure_policy = false;  // podFailurePolicy
  std::string_view
      policy_container;         // of onExitCodes, that the template does not have; "" for none
  bool selects_others = false;  // a selector that the generated labels do not match
  bool selects = false;         // any selector, or manualSelector: true
};
Refusals refusals_of_job(const JobWords& job, JobMaker maker);

// Returns the refusals for the template of a StatefulSet or a Deployment, or for a template from
// which LeaderWorkerSet makes StatefulSets.
Refusals refusals_of_replicas(const TemplateWords& pod, std::string_view kind);

// JobSet's webhook asks that each name that it or the Job controller makes is a DNS-1035 label.
struct ReplicatedJobWords {
  std::string_view jobset, name;
  std::uint64_t replicas;
  Number completions;  // of an Indexed Job
};
Refusals refusals_of_jobset(const ReplicatedJobWords& job);

struct CoordinatorWords {
  std::string_view replicated_job;
  Number job_index, pod_index;
};
Refusals refusals_of_coordinator(const CoordinatorWords& coordinator,
                                 const std::vector<ReplicatedJobWords>& jobs);

// The name of a RayCluster, RayJob or RayService. Older KubeRay has no such rule, so its sentence
// says from which version on.
Refusals refusals_of_ray(std::string_view kind, std::string_view name);

// The bounds of a worker group. Up to 1.5 the upper one won, so its sentence names the release too.
Refusals refusals_of_ray_group(const RayGroupNumbers& group);

}  // namespace tpuwh::webhook::controllers
