// The caBundle of our own webhook configurations: the CAs that the API server trusts for our
// Service.
#pragma once

#include "server/kube/client/request.hpp"
#include "server/text/json_text.hpp"

#include <array>
#include <cstddef>
#include <set>
#include <string>

namespace tpuwh::server::certificate {

// Both kinds of configuration. The chart gives ours this name.
const std::array<kube::client::Resource, 2>& configurations();
inline constexpr auto configuration_name = "tpu-webhook";

// The name of the Secret in the chart.
inline constexpr auto secret_name = "tpu-webhook-certificate";

// Returns why an answer is no configuration ("its webhooks[1] is a number, expected an object"), or
// "" for one that the functions below take. An API server, or a proxy before it, may answer
// anything.
std::string fault_of(const Json& configuration);

// Returns the number of its webhooks: if neither configuration has one, no API server calls us.
std::size_t entries_of(const Json& configuration);

// Returns whether every webhook of the configuration trusts exactly `bundle`, PEM.
bool trusts(const Json& configuration, const std::string& bundle);

// Adds every certificate that a webhook of the configuration trusts, as PEM. A caBundle that cannot
// be read, or is larger than one of ours ever is, is left out.
void add_trusted(const Json& configuration, std::set<std::string>& bundles);

// Returns the configuration with this caBundle in each of its webhooks.
std::string with_bundle(Json configuration, const std::string& bundle);

}  // namespace tpuwh::server::certificate
