// From a Pod to what should become of it: the one place where workload, shape,
// arithmetic, environment and placement come together.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/decide/env_reconcile.hpp"
#include "webhook/decide/env_values.hpp"
#include "webhook/decide/env_wanted.hpp"
#include "webhook/decide/facts.hpp"
#include "webhook/decide/notes.hpp"
#include "webhook/decide/placement.hpp"
#include "webhook/decide/provenance.hpp"
#include "webhook/decide/summary.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/read/review.hpp"
#include "webhook/write/patch.hpp"

#include <string>
#include <string_view>

namespace tpuwh::webhook::decide {

// Everything a decision is made in, reused from review to review.
struct Scratch {
  Shape shape;
  workloads::Member member;
  Facts facts;
  EnvValues values;
  WantedEnv wanted;
  Affinities affinities;
  Provenance before, after;
  Notes notes;
  write::Patch patch;
  text::Buffer description;  // "worker 1 of 4 in slice 0 of 2 …", "" where not known
  text::Buffer text;         // an annotation while it is written
  std::string service;
  bool frozen = false;  // a second look with nothing changed: env stays as it is
};

struct Decision {
  Outcome outcome = Outcome::unchanged;
  Reason reason = Reason::not_a_pod;
  std::string_view workload = {};
  Error denial = {};         // of Outcome::denied and deferred
  bool shadow = false;       // by the mode that holds: the answer allows the Pod unchanged
  bool retry_now = true;     // of deferred: PlaceAnswer::retry_now
  bool asks_ledger = false;  // Outcome::deferred, and the ledger has not been asked
};

// The Pod asks for something that is no whole number of chips: denied, as the API
// server would do after us. It was not read to its end, so that its workload API is not
// known and the mode is that of the whole.
Decision deny_quantity(Error why, const config::Config& config, Scratch& scratch);

// Warns of what a decision that is not carried out would have been.
void note_shadow(const Decision& decision, Scratch& scratch);

// Decides about one review that was read. The patch is scratch.patch, empty unless
// the outcome is `patched`; warnings are scratch.notes.
//   place  what the ledger said, null before it was asked
Decision decide(const read::Review& review, const read::Pod& pod, const config::Config& config,
                const read::ClusterView& cluster, const ledger::PlaceAnswer* place,
                Scratch& scratch);

}  // namespace tpuwh::webhook::decide
