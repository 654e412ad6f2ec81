// One review in a line: what the log prints and metrics count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tpuwh::webhook::outcome {

enum class Outcome {
  patched,    // allowed, with a patch
  unchanged,  // allowed, nothing to change
  denied,     // allowed: false, a policy decision
  unusable,   // the request could not be read: HTTP 400 or 413
  deferred,   // no answer now: HTTP 503, and the API server or the Pod's controller tries again
  failed,     // a fault of ours
};

// Why. A closed set, so that it can be a metric label.
enum class Reason {
  injected,      // everything the slice needs is there now
  already_done,  // it was there before
  not_a_pod,     // another kind, operation, subresource, or no object
  no_tpu,        // no container asks for google.com/tpu
  switched_off,  // its workload API is not among --workloads
  opted_out,     // annotation <prefix>inject: "false"
  single_host,   // the device plugin already says all there is to say
  no_identity,   // a multi-host Pod that does not say which member it is
  no_place,      // the ledger cannot give it one now
  no_claim,      // a claim that its chips depend on is not there, or cannot be read now
  no_topology,   // topology not known
  no_subdomain,  // members could not be named
  inconsistent,  // labels or values contradict each other; nothing guessed
  bad_topology,  // denied
  bad_index,     // denied
  bad_name,      // denied
  too_long,      // denied: a variable above the kernel's limit
  bad_quantity,  // denied
  forbidden,     // denied: the configuration refuses what is a warning by default
  checked,       // a workload object: nothing in it that could never work, or it was so before
  never_works,   // denied: a workload object whose slices could never start
  unreadable,    // not JSON, not a review, wrong type
  too_large,
  internal_error,
};

std::string_view name(Outcome outcome);
std::string_view name(Reason reason);

// Views live as long as the review and the workspace do.
struct Summary {
  std::string_view uid;
  std::string_view ns;
  std::string_view owner;     // Kind/name of the owner, "" for none
  std::string_view workload;  // "job", "jobset", "ray", "pod", "" where not looked at
  Outcome outcome = Outcome::failed;
  Reason reason = Reason::internal_error;
  std::optional<std::uint32_t> slice;   // index of the slice
  std::optional<std::uint32_t> worker;  // worker id of the Pod's first process
  std::uint32_t workers = 0;            // processes in the slice, 0 if not known
  std::string_view description;         // in words, "" where the Pod's place is not known
  std::size_t patch_bytes = 0;
  std::size_t unfit_pools = 0;  // node pools that the Pod was told to avoid
  bool dry_run = false;
  bool shadow = false;  // nothing of the outcome was done
};

}  // namespace tpuwh::webhook::outcome
