#include "kubectl/certificate/configuration.hpp"

#include "kubectl/certificate/types.hpp"
#include "kubectl/text/base64.hpp"
#include "kubectl/x509/certificates.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::certificate {
namespace {

// The size limit, in bytes, for a caBundle (CAs in PEM). The keeper ignores a larger caBundle. A
// caBundle that the keeper itself writes usually has one or two CAs of about a kilobyte each.
constexpr std::size_t most_bundle_bytes = 16u << 10;

}  // namespace

const std::array<kube::client::Resource, 2>& configurations() {
  static const std::array<kube::client::Resource, 2> both = {
      {{"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", ""},
       {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", ""}}};
  return both;
}

std::string fault_of(const Json& configuration) {
  if (std::string fault = object_fault(configuration, "it"); !fault.empty()) return fault;
  if (std::string fault = member_fault(configuration, "metadata", "its"); !fault.empty())
    return fault;
  const auto* webhooks = text::find_member(configuration, "webhooks");
  if (webhooks == nullptr || webhooks->is_null()) return {};
  if (!webhooks->is_array())
    return fmt::format("its webhooks is {}, expected a list", type_of(*webhooks));
  for (std::size_t i = 0; i < webhooks->size(); ++i) {
    const auto& webhook = (*webhooks)[i];
    const std::string place = fmt::format("its webhooks[{}]", i);
    if (std::string fault = object_fault(webhook, place); !fault.empty()) return fault;
    if (std::string fault = member_fault(webhook, "clientConfig", place + "."); !fault.empty())
      return fault;
  }
  return {};
}

std::size_t entries_of(const Json& configuration) {
  const auto* webhooks = text::find_member(configuration, "webhooks");
  return webhooks == nullptr || !webhooks->is_array() ? 0 : webhooks->size();
}

bool trusts(const Json& configuration, const std::string& bundle) {
  const auto* webhooks = text::find_member(configuration, "webhooks");
  if (webhooks == nullptr || webhooks->is_null()) return true;
  const std::string wanted = text::encode_base64(bundle);
  return std::ranges::all_of(*webhooks, [&](const Json& webhook) {
    return text::text_member(text::member(webhook, "clientConfig"), "caBundle") == wanted;
  });
}

void add_trusted(const Json& configuration, std::set<std::string>& bundles) {
  if (entries_of(configuration) == 0) return;
  for (const Json& webhook : configuration["webhooks"]) {
    const std::string bundle =
        text::decode_base64(text::text_member(text::member(webhook, "clientConfig"), "caBundle"))
            .value_or("");
    if (bundle.size() > most_bundle_bytes || !x509::read_certificates(bundle)) continue;
    bundles.insert(bundle.ends_with('\n') ? bundle : bundle + '\n');
  }
}

std::string with_bundle(Json configuration, const std::string& bundle) {
  const std::string encoded = text::encode_base64(bundle);
  if (entries_of(configuration) > 0)
    for (Json& webhook : configuration["webhooks"]) webhook["clientConfig"]["caBundle"] = encoded;
  return text::dump_json(configuration);
}

}  // namespace tpuwh::server::certificate
