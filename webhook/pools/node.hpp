// A Node with TPUs, as far as a slice may ask about it.
#pragma once

#include "webhook/read/vocabulary.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::pools {

// All labels of one node: a node selector may name any of them. In one piece of text, since a
// node of GKE has some thirty, which as a map of strings were 4 KB; and what nodes of one pool
// have alike, all but a few, is there once for all of them.
class Labels {
 public:
  void add(std::string_view key, std::string_view value);
  // Nothing where the node has no such label.
  std::optional<std::string_view> find(std::string_view key) const;
  // "" where it has none.
  std::string_view value(std::string_view key) const { return find(key).value_or(""); }
  bool empty() const { return own_.empty() && common_ == nullptr; }

  // Keep with `other` what both have; what find() says stays. Views into these labels end. Nothing
  // where less than half is alike, or where they are longer than any node's are: of them it would
  // take the square of their number to find out.
  void share_with(const Labels& other);
  bool shares() const { return common_ != nullptr; }

 private:
  // "key\0value\0…": no label holds a NUL. An API server's object has no key twice.
  std::shared_ptr<const std::string> common_;  // with other nodes; null for nothing
  std::string own_;
};

// A taint that keeps Pods away: NoSchedule or NoExecute. PreferNoSchedule keeps nobody away and
// is not kept.
struct Taint {
  std::string key, value;
  bool no_execute = false;
};

struct Node {
  std::string name;
  Labels labels = {};
  std::vector<Taint> taints = {};
  std::uint32_t chips = 0;  // allocatable google.com/tpu
  bool ready = true;        // false where condition Ready says anything but True
  bool unschedulable = false;

  // Label cloud.google.com/gke-nodepool, "" for none.
  std::string_view pool() const { return labels.value(read::key::node_pool); }
};

}  // namespace tpuwh::webhook::pools
