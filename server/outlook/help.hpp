// Commands that a person can paste.
#pragma once

#include "server/catalog/gcloud.hpp"
#include "server/outlook/member.hpp"
#include "server/text/shell_command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::outlook {

// Once each.
class Help {
 public:
  // Nothing where the names in it made none of it.
  void add(const text::ShellCommand& command) { add_text(command.text()); }
  void add(const catalog::GcloudCommand& command) { add_text(command.text()); }
  // A headless Service for the Pods with this label, "key=value"; nothing where a name is not
  // plain.
  void apply_service(std::string_view ns, std::string_view name, std::string_view label);
  std::size_t size() const { return commands_.size(); }
  std::vector<std::string> take() { return std::move(commands_); }

 private:
  void add_text(std::string command);

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
