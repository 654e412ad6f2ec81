// A Job, and what JobSet checks of the Jobs it makes.
#pragma once

#include "webhook/validate/checker.hpp"

#include <cstdint>
#include <optional>

namespace tpuwh::webhook::validate {

// The specification of a Job; source: k8s.io/api batch/v1 JobSpec.
struct JobTemplate {
  std::optional<std::uint32_t> completions;
  std::optional<std::uint32_t> parallelism;
  std::string_view completion_mode;  // "" where absent
  text::JsonReader::Mark pod_template;
};
bool read_job_template(text::JsonReader& in, JobTemplate& job);

// What the Job controller writes on the Pod of index 0 of an Indexed Job.
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
bool check_job(Checker& checker, text::JsonReader::Mark spec);
bool check_cron_job(Checker& checker, text::JsonReader::Mark spec);

}  // namespace tpuwh::webhook::validate
