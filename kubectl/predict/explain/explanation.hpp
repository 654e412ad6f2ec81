// What becomes of a manifest, as values: made by explain.hpp, printed by text.hpp, json.hpp,
// html.hpp and svg.hpp.
#pragma once

#include "kubectl/fixes/fix.hpp"
#include "kubectl/inspect/source/origin.hpp"
#include "kubectl/predict/network/networks.hpp"
#include "kubectl/predict/outlook/outlook.hpp"
#include "kubectl/predict/trial/trial.hpp"
#include "kubectl/reference/catalog/pool_options.hpp"
#include "kubectl/reference/fields/unseen.hpp"
#include "kubectl/reference/ids/explain_rows.hpp"
#include "topology/layout/node_pool.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::explain {

enum class Verdict {
  no_tpu,    // nothing in it asks for chips
  fine,      // nothing in what was read stops its slices
  doubtful,  // it is allowed, with warnings
  refused,   // the API server would refuse it, or Pods of it
};
const char* name(Verdict verdict);

// All that ✓ says.
inline constexpr auto stops_nothing = "nothing in the input stops its slices";
// The same where the cluster that was read does.
inline constexpr auto manifest_stops_nothing = "nothing in the manifest stops its slices";

// Under each picture of a slice.
inline constexpr auto where_ids_stand =
    "ids are given by name; the platform decides which machine has which";

// What somebody is told of it.
struct Finding {
  bool denied = false;   // else a warning
  std::string id;        // "TPU-302", or a name of ids::of_explain(); "" where it has none
  std::string sentence;  // without the id
  fixes::Fix fix = {};   // a choice without a sentence where it has none
  std::size_t pods = 0;  // of whose creation it is said; 0: of the object

  // "TPU-715" where `id` is "no-service".
  std::string_view finding() const;
  // "TPU-302", "no-service TPU-715", "": what a person reads.
  std::string title() const;
};

// A variable of a container. What it is worth may be `from` somewhere: then `value` says whence.
struct Variable {
  std::string container, name, value;
  bool from = false;
  bool ours = false;    // the webhook writes it; else it is there already
  std::string why;      // of ours
  bool owners = false;  // there, and not in the manifest: LeaderWorkerSet's webhook writes it
  std::string replaces = {};  // default of the platform that a variable of ours replaces
};

struct Member {
  std::string pod;  // its host name, else its name, "train-*" where it has none yet
  std::optional<std::uint32_t> host;      // which of the slice's
  std::vector<std::uint32_t> worker_ids;  // of its TPU containers, in their order
  std::vector<Variable> variables;        // that it does not share with all others of its slice
};

struct Slice {
  std::optional<std::uint32_t> index;  // among those of its job
  std::string name;                    // "train-slice-0", what its hosts have in common
  std::vector<Member> members;         // by host
  std::uint32_t missing = 0;           // hosts that no Pod is
  std::vector<Variable> variables;     // that all members share, and not all slices of the group
};

// Pods of one template: a Job, a replicated job, a worker group.
struct Group {
  std::string title;                  // "replicated job slice", "" where the object has one group
  std::string accelerator, topology;  // "" where not known
  std::uint32_t hosts = 0;            // of a slice; 0 where not known
  std::uint32_t processes_per_host = 1, chips_per_host = 0;
  std::uint32_t slices_of_job = 0;  // that meet by MegaScale; 0 where each is a job of its own
  std::uint64_t pods = 0;
  std::vector<Slice> slices;
  std::vector<Variable> variables;     // that all members have alike
  std::vector<std::string> placement;  // sentences: where they will stand
  // The node pools to make; nothing where the catalog does not know the shape.
  std::optional<topology::layout::NodePool> pool;
  catalog::PoolOptions pool_options;  // as the Pods select capacity
  std::string no_pool;                // why none is made that its Pods fit; "" where some are

  std::uint64_t chips() const { return pods * chips_per_host; }
  bool multi_host() const { return hosts > 1; }
};

// Chips that Pods ask for by resource claim and that nobody could count.
struct Claimed {
  bool chips = false;      // a claim is for chips; else whether one is, is not known
  std::string words;       // "asks for all chips of a node by ResourceClaimTemplate all; …"
  std::uint64_t pods = 1;  // that do
};

// One object of the input that makes Pods, or is one.
struct Workload {
  std::string file;
  std::string kind, ns, name;
  Verdict verdict = Verdict::fine;
  std::string sentence;  // the verdict in words, with the numbers
  std::string refusal;   // the text that refuses the object itself; "" where none does
  std::vector<Group> groups;
  std::uint64_t other_pods = 0;     // without chips
  std::uint64_t pods_left_out = 0;  // too many to be looked at
  std::uint64_t refused_pods = 0;   // that would not be created: members of nothing
  std::vector<Claimed> claimed;     // what Pods ask for that are in no group
  // Of what is scaled to none: what one slice of each group will be; "" elsewhere.
  std::string scaled_to_none;
  std::vector<std::string> notes;  // what was read beside it, and what is not known
  std::vector<Finding> findings;
  std::vector<fields::Unseen> unseen;  // that it sets and that nobody looks at
  // Pods that reach each other, and why others have no NetworkPolicy, a sentence each.
  std::vector<network::Network> networks;
  std::set<std::string> without_network;
  std::optional<outlook::WorkloadOutlook> outlook;  // where a cluster was asked
  std::shared_ptr<const source::Origin> origin;     // null where its file holds it by itself

  std::uint64_t pods() const;  // with chips
  std::uint64_t claiming_pods() const;
  std::uint64_t chips() const;
  std::uint64_t slices() const;  // of which the size is known
};

struct Explanation {
  std::vector<Workload> workloads;
  // Objects that are read for what they say about workloads: "Service default/headless".
  std::vector<std::string> beside;
  std::vector<fields::Unseen> unseen;    // of these: fields that nobody looks at
  std::vector<std::string> passed_over;  // kinds that say nothing about slices
  std::vector<std::string> not_read;     // objects that make Pods, of kinds that are not read
  std::vector<std::string> not_known;    // of the cluster
  // What an API server says to it, where it was tried (--dry-run).
  std::optional<std::vector<trial::Tried>> tried;
  // Pods that were made, and how often the webhook decided about one: once for each, and again for
  // those that it leaves alone, of whom its answer does not say who they are.
  std::uint64_t pods = 0, decisions = 0;

  Verdict worst() const;
};

}  // namespace tpuwh::server::explain
