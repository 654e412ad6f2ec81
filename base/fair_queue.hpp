// A queue that serves its tenants in turn, so that each tenant has its share.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <vector>

namespace tpuwh::base {

// A queue that is served round robin at each level of the paths: over the first parts of all paths,
// then over the second parts that follow the same first part, and so on. Entries with equal paths
// are served in the order of their arrival. A new tenant is served after one entry of each waiting
// tenant, however many entries the waiting tenants have. Not thread safe.
//
//   cost  linear in the number of tenants at each level of a path
class FairQueue {
  struct Node;

 public:
  // The names of a tenant, outermost first: a namespace, an owner in that namespace, and so on.
  using Path = std::vector<std::string>;

  // An entry of the queue, which waits from push() until take_out() or its destruction.
  class Entry {
   public:
    explicit Entry(std::size_t wanted = 1) : turns(wanted) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { take_out(*this, false); }
    const std::size_t turns;  // number of turns that the entry takes, at least 1

   private:
    friend class FairQueue;
    Node* at_ = nullptr;  // node of the entry; null while the entry does not wait
  };

  void push(const Path& path, Entry& entry);
  // Returns the entry to be served next, or null if no entry waits.
  Entry* front() const;
  // Takes out an entry if the entry waits. If the entry was served, each tenant on its path becomes
  // the last one of its level.
  static void take_out(Entry& entry, bool served);

  // Returns the number of turns of all waiting entries whose paths have the same first `parts`
  // parts, or of all waiting entries if `parts` is 0.
  std::size_t turns(const Path& path = {}, std::size_t parts = 0) const;
  // Returns the largest number of turns that other entries take before `entry`, which waits, if no
  // other tenant arrives.
  std::size_t ahead_of(const Entry& entry) const;

 private:
  // A node of the tree: a tenant, or an entry, whose name is empty.
  struct Node {
    Node* parent = nullptr;
    std::string name = {};
    Entry* entry = nullptr;
    std::list<Node> children = {};  // in the order of their next turns
    std::size_t turns = 0;          // number of turns of all entries in this subtree
  };
  template <class N>
  static N* tenant(N& parent, const std::string& name);
  Node root_;
};

}  // namespace tpuwh::base
