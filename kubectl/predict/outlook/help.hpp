// Commands that a person can paste.
#pragma once

#include "kubectl/fixes/command.hpp"
#include "kubectl/predict/outlook/member.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::outlook {

// Once each.
class Help {
 public:
  // Nothing where the names in it made none of it.
  void add(fixes::Command command);
  // A headless Service for the Pods with this label, "key=value"; nothing where a name is not
  // plain.
  void apply_service(std::string_view ns, std::string_view name, std::string_view label);
  std::size_t size() const { return commands_.size(); }
  std::vector<fixes::Command> take() { return std::move(commands_); }

 private:
  std::vector<fixes::Command> commands_;
};

// The gcloud commands for as many node pools as `slices` need; nothing where the catalog does not
// know the shape.
//
//   names  of pools that are there, or are made by another command; those that are made now come
//          to them
void add_pools(const Member& member, std::uint32_t slices, Help& help,
               std::set<std::string>& names);
// What shows the node pools that have no node.
void add_pool_list(Help& help);

// "key=value": a label that the Pods of the workload have in common; "" where none is known.
std::string common_label(const Json& member);

}  // namespace tpuwh::server::outlook
