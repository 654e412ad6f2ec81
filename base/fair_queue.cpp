#include "base/fair_queue.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace tpuwh::base {

template <class N>
N* FairQueue::tenant(N& parent, const std::string& name) {
  for (N& each : parent.children)
    if (each.entry == nullptr && each.name == name) return &each;
  return nullptr;
}

void FairQueue::push(const Path& path, Entry& entry) {
  Node* node = &root_;
  for (const std::string& name : path) {
    Node* const known = tenant(*node, name);
    node = known != nullptr ? known : &node->children.emplace_back(node, name);
  }
  entry.at_ = node = &node->children.emplace_back(node, std::string(), &entry);
  for (; node != nullptr; node = node->parent) node->turns += entry.turns;
}

FairQueue::Entry* FairQueue::front() const {
  const Node* node = &root_;
  while (!node->children.empty()) node = &node->children.front();
  return node->entry;
}

void FairQueue::take_out(Entry& entry, bool served) {
  Node* parent = nullptr;
  for (Node* node = std::exchange(entry.at_, nullptr); node != nullptr; node = parent) {
    node->turns -= entry.turns;
    parent = node->parent;
    if (parent == nullptr) return;
    auto& all = parent->children;
    const auto self = std::ranges::find(all, node, [](const Node& each) { return &each; });
    if (node->turns == 0)
      all.erase(self);
    else if (served)
      all.splice(all.end(), all, self);
  }
}

std::size_t FairQueue::turns(const Path& path, std::size_t parts) const {
  const Node* node = &root_;
  for (const std::string& name : path | std::views::take(parts))
    if (node != nullptr) node = tenant(*node, name);
  return node == nullptr ? 0 : node->turns;
}

// The result is an upper bound, because it assumes that each other tenant takes as many turns as
// the entry's own tenant at the same level. A tenant may wait for fewer turns.
std::size_t FairQueue::ahead_of(const Entry& entry) const {
  std::size_t own = 0;
  for (const Node& each : entry.at_->parent->children) {
    own += each.turns;
    if (each.entry == &entry) break;
  }
  for (const Node* node = entry.at_->parent; node->parent != nullptr; node = node->parent)
    own *= node->parent->children.size();
  return std::min(own, root_.turns) - entry.turns;
}

}  // namespace tpuwh::base
