// Reads and writes the field caBundle in the webhook configurations of tpu-webhook. The field has
// the CAs that the API server trusts when it calls the Service of tpu-webhook.
#pragma once

#include "server/kube/client/request.hpp"
#include "server/text/json_text.hpp"

#include <array>
#include <cstddef>
#include <set>
#include <string>

namespace tpuwh::server::certificate {

// Returns the two API resources mutatingwebhookconfigurations and validatingwebhookconfigurations.
// In the chart, both configurations of tpu-webhook have the name `configuration_name`.
const std::array<kube::client::Resource, 2>& configurations();
inline constexpr auto configuration_name = "tpu-webhook";

// The chart's name for the Secret with the server's certificate.
inline constexpr auto secret_name = "tpu-webhook-certificate";

// Returns why an answer of the API server is not a webhook configuration ("its webhooks[1] is a
// number, expected an object"), or "" if the answer is such a configuration. Call the functions
// below only after this check, because an API server, or a proxy in front of it, may send any JSON.
std::string fault_of(const Json& configuration);

// Returns the number of webhooks (entries) in the configuration. If neither the mutating nor the
// validating configuration has a webhook, no API server calls tpu-webhook.
std::size_t entries_of(const Json& configuration);

// Returns whether the caBundle of every webhook in the configuration is exactly `bundle`, a PEM
// text.
bool trusts(const Json& configuration, const std::string& bundle);

// Adds the caBundle of every webhook in the configuration to `bundles`, as PEM. Leaves out a
// caBundle that has no valid certificates, or that exceeds the size limit of 16 KiB.
void add_trusted(const Json& configuration, std::set<std::string>& bundles);

// Returns the configuration as JSON text, with `bundle` as the caBundle of each webhook.
std::string with_bundle(Json configuration, const std::string& bundle);

}  // namespace tpuwh::server::certificate
