// Infers tpu-webhook's configuration from the webhooks in the installed
// MutatingWebhookConfiguration. This is possible because the chart renders different webhooks for
// different configurations.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"
#include "webhook/config/config.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::doctor {

// Returns a configuration with the modes, workload APIs and annotation prefix of the installation's
// settings. If these settings are not known, returns the configuration whose webhooks, as the chart
// renders them, are most like the installed webhooks.
webhook::config::Config layout_of(const View& view);

// The workload APIs whose Pods with TPUs an installed entry has, by its name.
std::vector<std::string> workloads_of(const View& view, const Json& entry);

}  // namespace tpuwh::server::doctor
