// Everything that can be set, in the order of --help and of `config print`.
#pragma once

#include "server/settings/setting.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::settings {

std::span<const Setting> settings();

// "drain.delay" -> drain, delay
std::vector<std::string> split_key(std::string_view key);

// The keys as a tree: what the file reader and the schema walk along.
struct KeyTree {
  std::string name = {};             // "delay" of "drain.delay"
  const Setting* setting = nullptr;  // of a leaf
  std::vector<KeyTree> children = {};

  const KeyTree* child(std::string_view key) const;  // "*" takes any name
};
const KeyTree& key_tree();

}  // namespace tpuwh::server::settings
