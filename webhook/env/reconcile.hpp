// Compares what a container has with what it should have: whose an entry is decides whether it
// stays (docs/decisions/0013).
#pragma once

#include "base/hash.hpp"
#include "webhook/env/changes.hpp"
#include "webhook/env/wanted.hpp"
#include "webhook/facts/provenance.hpp"

namespace tpuwh::webhook::env {

// Returns the changes to be made to a container, and enters into `after` which variables are ours
// after these changes. Must be called after settle_sets().
EnvChanges reconcile(const ContainerEnv& env, facts::Provenance& after);

// Adds the container's entries that are not ours to `inputs`: what we leave alone
// is part of what the rest was computed beside.
void add_theirs(const ContainerEnv& env, base::Digester& inputs);

// Whether a variable that we wrote is gone from this container.
bool lost_variable(const ContainerEnv& env);

}  // namespace tpuwh::webhook::env
