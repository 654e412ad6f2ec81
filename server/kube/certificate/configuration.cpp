#include "server/kube/certificate/configuration.hpp"

#include "server/text/base64.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>

namespace tpuwh::server::kube::certificate {

const std::array<client::Resource, 2>& configurations() {
  static const std::array<client::Resource, 2> both = {
      {{"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", ""},
       {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", ""}}};
  return both;
}

bool trusts(const nlohmann::ordered_json& configuration, const std::string& bundle) {
  const auto* webhooks = text::find_member(configuration, "webhooks");
  if (webhooks == nullptr) return true;
  const std::string wanted = text::encode_base64(bundle);
  return std::ranges::all_of(*webhooks, [&](const nlohmann::ordered_json& webhook) {
    return text::text_member(text::member(webhook, "clientConfig"), "caBundle") == wanted;
  });
}

std::string with_bundle(nlohmann::ordered_json configuration, const std::string& bundle) {
  const std::string encoded = text::encode_base64(bundle);
  if (configuration.contains("webhooks"))
    for (nlohmann::ordered_json& webhook : configuration["webhooks"])
      webhook["clientConfig"]["caBundle"] = encoded;
  return text::dump_json(configuration);
}

}  // namespace tpuwh::server::kube::certificate
