// What one review yields beside its outcome: who the Pod is, and what is written on it. Views point
// into the review.
#pragma once

#include "base/buffer.hpp"
#include "base/name_list.hpp"
#include "webhook/env/wanted.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/facts/provenance.hpp"
#include "webhook/facts/shape.hpp"
#include "webhook/outcome/notes.hpp"
#include "webhook/placement/placement.hpp"
#include "webhook/workloads/member.hpp"
#include "webhook/write/patch.hpp"

#include <utility>

namespace tpuwh::webhook::decide {

struct Told {
  facts::Shape shape;               // what it asks for
  workloads::Member member;         // whose it is
  facts::Facts facts;               // which host of which slice
  facts::Provenance before, after;  // what of it is ours
  env::ContainerEnvs envs;
  placement::Placement placement;  // of a member: why it got terms or none
  base::NameList unfit_pools;      // that the Pod is told to avoid
  outcome::Notes notes;
  write::Patch patch;
  base::Buffer description;  // "host 1 of 4, slice 0 of 2, JobSet …"; "" where not known
  bool decided = false;      // somebody has decided since it was last made empty

  // Forgets all of it; the memory stays. What decide() alone writes is empty already where it has
  // not been.
  void clear() {
    shape.clear();
    notes.clear();
    description.clear();
    if (!std::exchange(decided, false)) return;
    member = {};
    facts = {};
    before.clear();
    after.clear();
    envs.clear();
    placement = {};
    unfit_pools.clear();
  }
};

}  // namespace tpuwh::webhook::decide
