// Commands that a person can paste. Names in them come from a cluster and from a manifest: where
// one is no plain word, there is no command.
#pragma once

#include "server/outlook/member.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::outlook {

// Of letters, digits and "-_./:=,@%+" alone, and no flag: a shell takes it as it is.
bool is_word(std::string_view text);

// Once each.
class Help {
 public:
  // "kubectl" and these words, of which `names` have to be plain.
  void kubectl(std::string_view words, std::initializer_list<std::string_view> names);
  void add(std::string command);
  std::size_t size() const { return commands_.size(); }
  std::vector<std::string> take() { return std::move(commands_); }

 private:
  std::vector<std::string> commands_;
};

// The gcloud commands for as many node pools as `slices` need; nothing where the catalog does not
// know the shape.
void add_pools(const Member& member, std::uint32_t slices, Help& help);
// What shows the node pools that have no node.
void add_pool_list(Help& help);

// "key=value": a label that the Pods of the workload have in common; "" where none is known.
std::string common_label(const nlohmann::ordered_json& member);

}  // namespace tpuwh::server::outlook
