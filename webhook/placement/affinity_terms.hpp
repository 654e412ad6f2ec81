// The terms by which members attract each other and slices repel: as JSON, and as they are
// recognised on a Pod that has them already.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/placement/placement.hpp"
#include "webhook/read/pod.hpp"
#include "webhook/write/json.hpp"

namespace tpuwh::webhook::placement {

// Which Pods a term selects.
enum class Rule {
  own,                         // of the same slice
  others_of_priority,          // of other slices, of the same priority
  others_of_other_priorities,  // of other slices, of any other
};

// What terms are made of: two slices' terms differ by it alone.
struct TermParts {
  const config::Config& config;
  const Placement& placement;
};

void append_term(write::Json& out, const TermParts& parts, Rule rule);

// It is there, word for word.
bool is_term(const read::Pod& pod, const read::PodTerm& term, const TermParts& parts, Rule rule);

// A term that speaks of our slice key was written by us, whatever it says now.
bool is_ours(const read::Pod& pod, const read::PodTerm& term, const config::Config& config);

}  // namespace tpuwh::webhook::placement
