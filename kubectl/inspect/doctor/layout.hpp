// For which modes the entries of an installation were rendered, and by which charts.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"
#include "webhook/config/config.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::doctor {

struct Layout {
  // Modes, workload APIs and prefix; by the settings, and where these are not known as the entries
  // look most like it.
  webhook::config::Config config;
  bool former = false;  // most of them are as charts before docs/decisions/0038 had them
};

Layout layout_of(const View& view);

// The workload APIs whose Pods with TPUs an installed entry has, by its name.
std::vector<std::string> workloads_of(const View& view, const Json& entry);

}  // namespace tpuwh::server::doctor
