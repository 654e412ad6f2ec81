// What Kubeflow Trainer's ML policies make of the number of nodes and of the trainer's variables.
//   source  kubeflow/trainer pkg/runtime/framework/plugins/{plainml,jax,torch,mpi}/*.go,
//           pkg/runtime/runtime.go, pkg/constants/constants.go, v2.2.1
#pragma once

#include "server/text/json_text.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tpuwh::server::wrappers {

// A replicated job of a runtime, as policies see it.
struct PodSet {
  Json* job = nullptr;                   // of spec.replicatedJobs
  std::string name = {}, ancestor = {};  // label trainjob-ancestor-step of its Job: "trainer", ""
  std::uint64_t count = 1;               // Pods
  std::string count_at = {};  // where `count` is written: a pointer into TrainJob or runtime
  bool count_of_runtime = false;
};

inline constexpr const char* ancestor_label = "trainer.kubeflow.org/trainjob-ancestor-step";
inline constexpr const char* trainer_container = "node";  // and the replicated job's name

// A TrainJob's spec and its runtime's, checked.
struct Training {
  const std::string& name;
  const Json& spec;
  const Json& runtime;

  const Json& trainer() const;  // an empty object where there is none
  const Json& policy() const;   // spec.mlPolicy
  bool has_trainer() const;
};

// Null where it has none of that name.
Json* container_of(PodSet& pods, const std::string& name);
// Replaces the entry of this name, or appends it.
void upsert_env(Json& container, Json entry);
// The same of a port; of those without a name the first.
void upsert_port(Json& container, Json port);

// Counts and variables, as the policy of the runtime has them.
void enforce_policy(const Training& training, std::vector<PodSet>& pods);

}  // namespace tpuwh::server::wrappers
