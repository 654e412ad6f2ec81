// The caBundle of our own webhook configurations: whom the API server trusts to be us.
#pragma once

#include "server/kube/client/request.hpp"
#include "server/text/json_text.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace tpuwh::server::kube::certificate {

// Both kinds. Ours are called what the chart calls them.
const std::array<client::Resource, 2>& configurations();
inline constexpr auto configuration_name = "tpu-webhook";

// The Secret as the chart calls it.
inline constexpr auto secret_name = "tpu-webhook-certificate";

// Why this is no configuration, whatever an API server (or a proxy before it) answered: "its
// webhooks[1] is a number, expected an object"; "" for one that trusts() and with_bundle() take.
std::string fault_of(const Json& configuration);

// Its webhooks: where there is none in either configuration, nobody calls this server.
std::size_t entries_of(const Json& configuration);

// Whether every webhook of the configuration trusts exactly `bundle`, PEM.
bool trusts(const Json& configuration, const std::string& bundle);

// The configuration with this caBundle in each of its webhooks, to be written in its place.
std::string with_bundle(Json configuration, const std::string& bundle);

}  // namespace tpuwh::server::kube::certificate
