// The configuration for which the entries of an installation were rendered.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"
#include "webhook/config/config.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::doctor {

// Returns modes, workload APIs and prefix by the settings, or, if these are not known, those whose
// entries are most like the installed ones.
webhook::config::Config layout_of(const View& view);

// The workload APIs whose Pods with TPUs an installed entry has, by its name.
std::vector<std::string> workloads_of(const View& view, const Json& entry);

}  // namespace tpuwh::server::doctor
