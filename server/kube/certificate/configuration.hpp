// The caBundle of our own webhook configurations: whom the API server trusts to be us.
#pragma once

#include "server/kube/client/request.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string>

namespace tpuwh::server::kube::certificate {

// Both kinds. Ours are called what the chart calls them.
const std::array<client::Resource, 2>& configurations();
inline constexpr auto configuration_name = "tpu-webhook";

// The Secret as the chart calls it.
inline constexpr auto secret_name = "tpu-webhook-certificate";

// Whether every webhook of the configuration trusts exactly `bundle`, PEM.
bool trusts(const nlohmann::ordered_json& configuration, const std::string& bundle);

// The configuration with this caBundle in each of its webhooks, to be written in its place.
std::string with_bundle(nlohmann::ordered_json configuration, const std::string& bundle);

}  // namespace tpuwh::server::kube::certificate
