// Jobs, CronJobs and JobSets.
#include "kubectl/reference/fields/rows.hpp"

namespace tpuwh::server::fields {

namespace {

using enum Look;

constexpr Row job_rows[] = {
    {"apiVersion", read},        {"kind", read},     {"metadata", inside, "ObjectMeta"},
    {"spec", inside, "JobSpec"}, {"status", cannot},
};

constexpr Row job_template_rows[] = {
    {"metadata", inside, "ObjectMeta"},
    {"spec", inside, "JobSpec"},
};

constexpr Row job_spec_rows[] = {
    {"template", inside, "PodTemplate"},
    {"activeDeadlineSeconds", read},
    {"completionMode", read},
    {"completions", read},
    {"managedBy", read},
    {"manualSelector", read},
    {"parallelism", read},
    {"podFailurePolicy.rules.onExitCodes.containerName", read},
    {"selector", read},
    {"suspend", read},
    {"backoffLimit", cannot},
    {"backoffLimitPerIndex", cannot},
    {"maxFailedIndexes", cannot},
    {"podFailurePolicy.rules.action", cannot},
    {"podFailurePolicy.rules.onExitCodes.operator", cannot},
    {"podFailurePolicy.rules.onExitCodes.values", cannot},
    {"podFailurePolicy.rules.onPodConditions", cannot},
    {"podReplacementPolicy", cannot},
    {"successPolicy", cannot},
    {"ttlSecondsAfterFinished", cannot},
    {"scheduling", unseen},
};

constexpr Row cron_job_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.jobTemplate", inside, "JobTemplate"},
    {"spec.suspend", read},
    {"spec.failedJobsHistoryLimit", cannot},
    {"spec.schedule", cannot},
    {"spec.successfulJobsHistoryLimit", cannot},
    {"spec.timeZone", cannot},
    {"status", cannot},
    {"spec.concurrencyPolicy", unseen},
    {"spec.startingDeadlineSeconds", unseen},
};

constexpr Row job_set_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.replicatedJobs.template", inside, "JobTemplate"},
    {"spec.coordinator", read},
    {"spec.managedBy", read},
    {"spec.network", read},
    {"spec.replicatedJobs.dependsOn", read},
    {"spec.replicatedJobs.name", read},
    {"spec.replicatedJobs.replicas", read},
    {"spec.startupPolicy", read},
    {"spec.suspend", read},
    {"spec.failurePolicy", cannot},
    {"spec.replicatedJobs.groupName", cannot},
    {"spec.successPolicy", cannot},
    {"spec.ttlSecondsAfterFinished", cannot},
    {"status", cannot},
    {"spec.volumeClaimPolicies", runs},
};

}  // namespace

std::span<const Type> batch_types() {
  static constexpr Type all[] = {
      {"Job", "batch.v1.Job", "Job", job_rows},
      {"JobTemplate", "batch.v1.JobTemplateSpec", "Job", job_template_rows},
      {"JobSpec", "batch.v1.JobSpec", "", job_spec_rows},
      {"CronJob", "batch.v1.CronJob", "CronJob", cron_job_rows},
      {"JobSet", "jobset:jobsets", "JobSet", job_set_rows},
  };
  return all;
}

}  // namespace tpuwh::server::fields
