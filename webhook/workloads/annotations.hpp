// What a user's annotations say about a Pod whose owner does not say it, or not enough:
// worker-id, worker-count, hostnames, slice-id, slice-count, coordinator
// (docs/contract.md#annotations-for-users).
#pragma once

#include "webhook/read/pod.hpp"
#include "webhook/workloads/member.hpp"

#include <string_view>

namespace tpuwh::webhook::workloads {

// Completes what the owner's API said. Never replaces an index the owner gave: on a Pod
// template the annotation is the same on every Pod, and would make them all one worker.
void apply_annotations(const read::Pod& pod, std::string_view ns, Member& member);

}  // namespace tpuwh::webhook::workloads
