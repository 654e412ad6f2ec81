// The node pools of a cluster, their nodes, and who holds their chips: what says of a pool that it
// cannot hold a whole slice (docs/decisions/0023). A value: no clock, no lock, no socket.
//
// A pool is the nodes of one shape (accelerator and topology) with one value of label
// cloud.google.com/gke-nodepool.
#pragma once

#include "base/name_list.hpp"
#include "webhook/pools/node.hpp"
#include "webhook/read/cluster.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tpuwh::webhook::pools {

// A slice by its key (base::hash), of which 32 hex digits are 16 bytes. All zero for none.
using SliceId = std::array<std::uint8_t, 16>;
// None for what is no such key.
SliceId slice_id(std::string_view slice_key);

// A Pod that is bound, asks for chips, has not ended and is not being deleted.
struct Holder {
  SliceId slice{};            // none: a stranger to every multi-host slice
  std::int32_t priority = 0;  // spec.priority
  std::uint32_t chips = 0;    // that it asks for, above 0; those of claims are not known
  bool operator==(const Holder&) const = default;
};

// Of the pools that a question is answered with, so many at the most: a name is 63 bytes, so all
// of them are 4 KB of a Pod.
inline constexpr std::size_t max_unfit = 64;

// What one question may compare, under the lock of whoever keeps the pools: nodes of the pools that
// are in doubt, times what the Pod says of nodes (criteria_of() in fit.hpp). That is some 20 ms, or
// 100 nodes for a Pod that says 600 things. One that says no more than `few_criteria`, as nearly
// all, is answered whatever there is.
inline constexpr std::size_t max_comparisons = 1u << 16;
inline constexpr std::size_t few_criteria = 16;

class Pools {
  struct Pool;

 public:
  // Of re-lists: what put() did not bring again is older.
  using Generation = std::uint32_t;

  // A node and its holders. Its address stays while it is held.
  class Host {
    friend class Pools;
    Node node;
    Generation generation = 0;
    bool known = false;    // put() brought it
    Pool* pool = nullptr;  // null for a node without a pool, an accelerator or a topology
    std::vector<Holder> holders;
    std::int64_t held = 0;  // chips of all of them
  };

  Pools() = default;
  Pools(const Pools&) = delete;
  Pools& operator=(const Pools&) = delete;
  // The address of a Host stays. What is left behind is to be destroyed, and nothing else.
  Pools(Pools&&) = default;
  Pools& operator=(Pools&&) = default;

  // Another of the same name goes.
  void put(Node node, Generation generation = 0);
  void remove(std::string_view node);
  void remove_older(Generation generation);
  // Null where it is not known.
  const Node* find(std::string_view node) const;
  // Nodes that are known.
  std::size_t size() const { return known_; }

  // The node may come later than its Pods.
  Host& hold(std::string_view node, const Holder& holder);
  // What hold() was called with.
  void release(Host& host, const Holder& holder);

  // Names of the pools on which the slice of the question could begin and not be whole: they have
  // a host that it can use and fewer than it needs. Hosts that slices of the same priority hold
  // count as usable: our anti-affinity keeps a slice off those anyway, and they change sooner than
  // what is written on a Pod. None once a member of the slice is bound: the others must go there.
  // In the order of the names, at most max_unfit; those with the most usable hosts, where the
  // slice is likeliest to begin. None where it would take more than max_comparisons to find out: it
  // is a preference, and 2 MB of node affinity kept every other review waiting for seconds.
  void unfit(const read::PoolQuestion& question, base::NameList& out) const;

  // Calls `each` with accelerator, topology, name and hosts of every pool, by shape and name, where
  // hosts(f) calls f with the node and the holders of each. For commands. Views into this object.
  template <class F>
  void for_each_pool(F&& each) const;

 private:
  struct Shape;
  struct Pool {
    std::string_view name;  // its key in the Shape
    Shape* shape = nullptr;
    bool nameable = false;  // the name is one that a label may have, so a term too
    std::vector<const Host*> hosts;
    // Counts over the hosts, so that an event costs the same however large the pool is.
    std::int64_t chips = 0;
    int unsound = 0;                                   // for whoever asks
    int held = 0, full = 0;                            // with a holder, without room
    std::map<std::uint32_t, int> sizes;                // hosts by their chips
    std::map<std::optional<std::int32_t>, int> kinds;  // holders by kind_of()
  };
  struct Shape {
    std::uint64_t chips = 0;  // of the topology; 0 where it is none
    std::map<std::string, Pool, std::less<>> pools;
    // Those of which it is not certain that they are whole for every slice; by name. Few: a
    // review looks at these alone.
    std::map<std::string_view, const Pool*> doubtful;
  };
  using ShapeName = std::pair<std::string, std::string>;  // accelerator, topology
  struct ByShape {
    using is_transparent = void;
    using View = std::pair<std::string_view, std::string_view>;
    bool operator()(const View& a, const View& b) const { return a < b; }
  };

  Host& host_of(std::string_view node);
  void erase_unless_used(Host& host);
  void enter(Host& host);
  void leave(Host& host);
  // What stands alike to whoever asks: strangers, or members of slices of one priority.
  static std::optional<std::int32_t> kind_of(const Holder& holder);
  // One more (`by` 1) or one fewer (-1): a host of the pool, a holder of the host.
  static void count(Pool& pool, const Host& host, int by);
  void count_holder(Host& host, const Holder& holder, int by);
  static void count_held(Pool& pool, const Host& host, int by);
  static void look_again(Pool& pool);

  struct HashName {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, Host, HashName, std::equal_to<>> hosts_;
  std::map<ShapeName, Shape, ByShape> shapes_;
  // Members of each slice. In order and not by a hash: the keys are labels that anybody writes.
  std::map<SliceId, int> bound_;
  std::size_t known_ = 0;
};

template <class F>
void Pools::for_each_pool(F&& each) const {
  for (const auto& [shape, of] : shapes_)
    for (const auto& [name, pool] : of.pools)
      each(shape.first, shape.second, name, [&hosts = pool.hosts](auto&& of_host) {
        for (const Host* host : hosts) of_host(host->node, host->holders);
      });
}

}  // namespace tpuwh::webhook::pools
