// A queue in which each tenant has its share.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <vector>

namespace tpuwh::base {

// Round robin over the first parts of paths, among those of one first part over the second parts,
// and so on; first come, first served where paths are equal. A tenant that comes is behind those
// that wait, however many entries they have. Not thread safe.
//
//   cost  the tenants at each level of a path
class FairQueue {
  struct Node;

 public:
  // A namespace, an owner in it, and so on.
  using Path = std::vector<std::string>;

  // Something that waits, for as long as it lives or until it is taken out.
  class Entry {
   public:
    explicit Entry(std::size_t wanted = 1) : turns(wanted) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { take_out(*this, false); }
    const std::size_t turns;  // that it takes, at least 1

   private:
    friend class FairQueue;
    Node* at_ = nullptr;  // null while it does not wait
  };

  void push(const Path& path, Entry& entry);
  // The next one; null where nothing waits.
  Entry* front() const;
  // Takes out an entry, if it waits. Of one that was served the tenants are behind all others then.
  static void take_out(Entry& entry, bool served);

  // Of all that wait with the same first parts of a path; of all, where that is no part.
  std::size_t turns(const Path& path = {}, std::size_t parts = 0) const;
  // That others take before an entry that waits, at the most, if no other tenant comes.
  std::size_t ahead_of(const Entry& entry) const;

 private:
  // A tenant, or an entry, which has no name.
  struct Node {
    Node* parent = nullptr;
    std::string name = {};
    Entry* entry = nullptr;
    std::list<Node> children = {};  // in the order of their next turns
    std::size_t turns = 0;          // of all entries below it
  };
  template <class N>
  static N* tenant(N& parent, const std::string& name);
  Node root_;
};

}  // namespace tpuwh::base
