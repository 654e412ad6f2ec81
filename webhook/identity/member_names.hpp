// Whether the names in a member's lists are those of its hosts, and resolve (docs/decisions/0015).
#pragma once

#include "base/buffer.hpp"
#include "base/result.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/outcome/notes.hpp"

#include <string>

namespace tpuwh::webhook::identity {

// ---- names that are put together

// Names of a Pod before that were found right, at most 63 characters each: of the members of one
// slice they are the same. One per thread.
struct CheckedNames {
  std::string host, subdomain;
};

// Host names become DNS names and stand in every member's lists.
//   errors  name_too_long, bad_name, not_filled_in
//   text    a name while it is looked at
Result<void> check_names(const facts::Facts& facts, CheckedNames& checked, base::Buffer& text);

// A ledger keeps a record by the names of a Ray worker's group and the uid of its owner. Nobody has
// looked at them when the Pod is reviewed: the API server takes a label of any bytes to a webhook,
// and refuses the Pod only afterwards.
//   errors  bad_name, not_filled_in
Result<void> check_group(const facts::Facts& facts);

// The Pod's own name has to be the one that its index gives, else the entry of the
// lists is somebody else. The sentence that says it is not, or "".
std::string wrong_hostname(const facts::Facts& facts, base::Buffer& text);

// Warns of what keeps names from resolving.
void note_resolving(const read::Pod& pod, std::string_view ns, outcome::Notes& notes);

// ---- names that a user gives

// A list that does not name each host once, or whose entry for this Pod is another Pod's,
// makes a slice that never forms. The sentence, or "".
std::string wrong_hostnames(const facts::Facts& facts);

// The same of annotation coordinator.
std::string wrong_coordinator(const workloads::Member& member);

// Warns where slices were asked for and nothing says where they meet.
void note_coordinator(const facts::Facts& facts, outcome::Notes& notes);

}  // namespace tpuwh::webhook::identity
