// A Job, and what JobSet checks of the Jobs it makes.
#pragma once

#include "webhook/controllers/refusals.hpp"
#include "webhook/validate/checker.hpp"

#include <cstdint>
#include <optional>

namespace tpuwh::webhook::validate {

// The specification of a Job; source: k8s.io/api batch/v1 JobSpec.
struct JobTemplate {
  std::optional<std::uint32_t> completions;
  std::optional<std::uint32_t> parallelism;
  std::string_view completion_mode;  // "" where absent
  bool manual_selector = false;
  base::json::Reader::Mark pod_template, selector, failure_policy;
};
bool read_job_template(base::json::Reader& in, JobTemplate& job);

// JobSet's default is Indexed; a Job's own is not.
bool is_indexed(const JobTemplate& job, controllers::JobMaker maker);

// Adds the reasons why the API server refuses the Jobs called `job_name`.
//
//   returns  false where it cannot be read
bool check_job_refusals(Checker& checker, const JobTemplate& job, std::string_view job_name,
                        controllers::JobMaker maker);

// Sets the owner and the labels of checker.pod() as the Job controller does for the Pod with
// completion index 0 of an Indexed Job.
void label_completion(Checker& checker, std::string_view job_name);

// Two sentences at most, "" where nothing is wrong: a slice needs all its hosts, and all of
// them at the same time.
//
//   expected  Pods that it takes: hosts of the slice, times slices where the Job is several
struct JobMisfit {
  std::string too_few;   // the slice can never be whole
  std::string too_many;  // it can, but the Job never completes
};
JobMisfit job_misfit(const JobTemplate& job, const topology::Slice& slice, std::uint32_t expected);

// False where it cannot be read.
//
//   source  k8s.io/api batch/v1 CronJobSpec: jobTemplate.spec is that of a Job
bool check_job(Checker& checker, base::json::Reader::Mark spec);
bool check_cron_job(Checker& checker, base::json::Reader::Mark spec);

}  // namespace tpuwh::webhook::validate
