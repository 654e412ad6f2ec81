// A Pod of a batch/v1 Job. An Indexed Job is one slice; its completion index is the
// host. A Job that is not indexed can only be a slice of one host.
//
// source: docs/facts.md#indexed-job
#pragma once

#include "webhook/workloads/table.hpp"

namespace tpuwh::webhook::workloads {

extern const Workload job_workload;

// What a JobSet's Pods have from their Job.
std::string_view job_name(const read::Pod& pod);  // label, older label, owner; "" for none
IndexLabel completion_index(const read::Pod& pod);
// The Job's uid, so that each run of a Job is a slice of its own; without one,
// namespace, kind and name.
void key_by_job(const read::Pod& pod, std::string_view ns, Member& member);

}  // namespace tpuwh::webhook::workloads
