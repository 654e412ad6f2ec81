// The entries as charts rendered them before docs/decisions/0038: one for each workload API,
// whatever the modes, each with the whole condition, and one for claims. Of an installation that
// was not upgraded yet, `doctor` says that, and not that each of its entries is wrong.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"
#include "webhook/config/config.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::doctor {

struct FormerEntry {
  std::string name, condition, expression;
  Json selector = Json::object();  // objectSelector
  // Of its Pods; nothing where its workload API is not handled, so that no Pod reaches it.
  std::optional<webhook::config::Mode> mode = {};
};

std::vector<FormerEntry> former(const webhook::config::Config& config);

// The condition of the entry for shadow namespaces.
std::string former_of_shadow(const webhook::config::Config& config);

}  // namespace tpuwh::server::doctor
