// Whether the Pods of a workload object could ever form their slices: asked when a
// RayCluster, RayJob, RayService, JobSet, Job or LeaderWorkerSet is created or changed, so
// that whoever writes it reads it, and not the events of Pods that are refused later.
//
// Each TPU Pod template is put through decide(), and the number of its Pods is held against
// the hosts of its topology. All that is found is said at once.
//
//   refused   a slice that could never start: what its Pods would be denied for, a number of
//             Pods that is not that of the hosts
//   a warning anything less, and what a Pod would be warned of; a fault that the object had
//             before the update, that the owner (a RayJob, a JobSet …) was asked about
//             already, or that the mode (shadow) leaves undone
//   silence   other kinds and operations, subresources, an object that is being deleted, a
//             workload API that is switched off
#pragma once

#include "webhook/answer/admit.hpp"
#include "webhook/validate/findings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tpuwh::webhook::validate {

// Answers one review. Never throws and never patches; at most max_templates (checker.hpp)
// templates that ask for TPU are looked at, and of faults and of warnings max_told (findings.hpp)
// are told. In time in proportion to the text. Answers as admit() does.
//
//   cluster   ResourceClaimTemplates and Services alone are asked for
answer::Answer validate(read::Body review, const config::Config& config,
                        const read::ClusterView& cluster, answer::Workspace& workspace) noexcept;

// Answers a review that is larger than read::max_review_bytes. The object is allowed with a warning
// that nothing was checked, because a workload object that can be stored may be larger than that as
// JSON (docs/threat-model.md). Never throws.
//
//   start    the first bytes of the review. `start` is changed, and must outlive the answer
//   nothing  if `start` lacks a part of the review that an API server writes before its objects
std::optional<answer::Answer> allow_unchecked(std::string& start,
                                              answer::Workspace& workspace) noexcept;

// What such an object is refused for, each by itself: for tools, which tell one from the other.
// Empty for what cannot be read.
std::vector<Found> faults_of(read::Body review, const config::Config& config,
                             const read::ClusterView& cluster, answer::Workspace& workspace);

}  // namespace tpuwh::webhook::validate
