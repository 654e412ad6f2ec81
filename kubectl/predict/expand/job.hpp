// Pods of a Job, and of the one Job that a CronJob makes next.
//   source  kubernetes/kubernetes pkg/controller/job, pkg/registry/batch/job/strategy.go, v1.36.3
#pragma once

#include "kubectl/predict/expand/children.hpp"
#include "kubectl/predict/expand/pod_template.hpp"

#include <cstdint>
#include <string>

namespace tpuwh::server::expand {

std::uint64_t count_job(const Json& job);
Result<void> expand_job(const Parent& job, const ExpandOptions& options, const Visit& visit);

std::uint64_t count_cron_job(const Json& cron_job);
Result<void> expand_cron_job(const Parent& cron_job, const ExpandOptions& options,
                             const Visit& visit);

// That Job, without the time that its annotation has.
Result<Children> children_of_cron_job(const Parent& cron_job);

// Of the Job that the CronJob makes next: for the minute it is due.
//   source  kubernetes/kubernetes pkg/controller/cronjob/cronjob_controllerv2.go, v1.36.3
std::string job_name_of_cron_job(const Owner& cron_job);

// A Job that another object makes.
Owner job_called(std::string ns, std::string name);

// The same of a spec alone, for the objects that make Jobs.
//
//   check_job_spec  all that can be wrong in it
//   visit_job       `spec` has been checked. Returns whether to go on
std::uint64_t count_job_spec(const Json& spec);
Result<void> check_job_spec(const Json& spec, const std::string& path);
bool visit_job(const Owner& job, const Json& spec, const ExpandOptions& options,
               const Visit& visit);

}  // namespace tpuwh::server::expand
