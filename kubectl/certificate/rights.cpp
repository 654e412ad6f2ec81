#include "kubectl/certificate/rights.hpp"

#include "kubectl/certificate/contents.hpp"

namespace tpuwh::server::certificate {

std::vector<kube::cluster::RbacRule> keeper_rules(const std::string& secret) {
  std::vector<kube::cluster::RbacRule> all;
  for (const kube::client::Resource& each : configurations())
    all.push_back({.api_group = each.group,
                   .resource = each.plural,
                   .verbs = {"get", "update"},
                   .reason = "the caBundle in the webhook configurations of tpu-webhook",
                   .names = {configuration_name}});
  const kube::client::Resource resource = secrets("");
  all.push_back({.api_group = resource.group,
                 .resource = resource.plural,
                 .verbs = {"get", "update"},
                 .own_namespace = true,
                 .reason = "the certificate that the server's Pods mount, and its CA",
                 .names = {secret}});
  return all;
}

}  // namespace tpuwh::server::certificate
