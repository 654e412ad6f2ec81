// Everything a decision is made in. Its memory is kept from review to review, what a review said is
// not.
#pragma once

#include "base/buffer.hpp"
#include "base/name_list.hpp"
#include "webhook/env/values.hpp"
#include "webhook/env/wanted.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/facts/provenance.hpp"
#include "webhook/facts/shape.hpp"
#include "webhook/identity/member_names.hpp"
#include "webhook/identity/pod_slice.hpp"
#include "webhook/outcome/notes.hpp"
#include "webhook/placement/write_placement.hpp"
#include "webhook/workloads/member.hpp"
#include "webhook/write/patch.hpp"

#include <string>
#include <utility>

namespace tpuwh::webhook::decide {

struct Scratch {
  facts::Shape shape;
  workloads::Member member;
  facts::Facts facts;
  identity::KeptSlice slice;
  identity::CheckedNames checked_names;
  env::EnvValues values;
  env::ContainerEnvs envs;
  base::NameList unfit_pools;  // that the Pod is told to avoid
  placement::Affinities affinities;
  placement::SliceKeys slice_keys;
  placement::Placement placement;  // of a member: why it got terms or none
  facts::Provenance before, after;
  outcome::Notes notes;
  write::Patch patch;
  base::Buffer description;  // "host 1 of 4, slice 0 of 2, JobSet …"; "" where not known
  base::Buffer text;         // an annotation while it is written
  std::string service;
  bool frozen = false;  // a second look with nothing changed: env stays as it is

  bool decided = false;  // somebody has decided in it since it was last made empty

  // Forgets all that was said of a Pod: what views its text, and what points to these. Everything
  // above but buffers, and what is kept because other Pods share it, is named here. What decide()
  // alone writes is empty already where it has not been.
  void forget_pod() {
    shape.clear();
    notes.clear();
    description.clear();
    if (!std::exchange(decided, false)) return;
    member = {};
    facts = {};
    envs.clear();
    unfit_pools.clear();
    placement = {};
    before.clear();
    after.clear();
    frozen = false;
  }
};

}  // namespace tpuwh::webhook::decide
