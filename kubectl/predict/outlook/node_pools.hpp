// Which node pool holds a slice: the judgement is webhook::pools' own (Pools::look), and here is
// what a whole slice makes of it, beside the slices that came before it.
#pragma once

#include "kubectl/predict/outlook/member.hpp"
#include "kubectl/predict/outlook/seen_pools.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tpuwh::server::outlook {

// What earlier slices of the input take.
struct Taken {
  std::map<std::string, std::string, std::less<>> pools;    // whole ones; by whom
  std::map<std::string, std::uint64_t, std::less<>> chips;  // of nodes
  // By ClusterQueue, flavor and resource.
  std::map<std::tuple<std::string, std::string, std::string>, double> quota;
  // Names of node pools of which a command to make them was printed.
  std::set<std::string> made;
};

// Why a pool cannot hold a slice: of several reasons the one that is nearest to it.
enum class Bar {
  none,
  not_selected,  // the Pods select other nodes
  before,        // it goes to slices before it
  held,
  too_small,  // it has fewer nodes
  unusable,   // too many of its nodes cannot be used
};

struct PoolView {
  std::string_view name;
  Bar bar = Bar::none;
  std::uint32_t nodes = 0, usable = 0;
  std::string_view node;  // of a slice of one host: where it goes
  bool own = false;       // Pods of the workload stand there already
  std::vector<const Tenant*> others;
  std::vector<const webhook::pools::Node*> unusable_nodes;
};

// Where slices that ask the same are looked for: what one of them could not take, the next ones
// cannot, either.
struct Candidates {
  std::vector<SeenPool> pools;  // first those where the workload stands already
  std::size_t next = 0;
};

// The node pools as one workload finds them. `cluster`, `workload` and `taken` outlive it.
class NodePools {
 public:
  NodePools(const ClusterState& cluster, const WantedWorkload& workload, Taken& taken)
      : cluster_(cluster), workload_(workload), taken_(taken) {}

  Candidates candidates(const Member& member) const;
  // The pool that the slice gets, which is then taken; "" where none can hold it.
  std::string place(const Member& member, Candidates& candidates);
  // All pools of its shape, by name.
  std::vector<PoolView> views(const Member& member) const;
  // Whether Pods of the workload have chips already.
  bool has_begun() const;
  // Those slices of them that are there.
  std::vector<const StandingSlice*> standing() const;
  // Of one that is whole, and takes no pool more than those that it is on.
  void keep(const StandingSlice& slice, const Member& member);

 private:
  template <class Made>
  bool is_own(const Made& made) const;
  // Its own, for good: one that is being deleted has its chips until it is.
  bool stays(const Tenant& tenant) const;
  const std::vector<Tenant>& tenants_of(const webhook::pools::Node& node) const;
  bool is_on(const SeenPool& pool) const;
  PoolView view(const SeenPool& pool, const Member& member) const;
  void judge_node(const SeenHost& host, const Member& member, PoolView& view) const;
  bool has_room(const webhook::pools::Node& node, const Member& member) const;
  std::string take(const PoolView& view, const Member& member);

  const ClusterState& cluster_;
  const WantedWorkload& workload_;
  Taken& taken_;
};

}  // namespace tpuwh::server::outlook
