#include "kubectl/inspect/running/installation.hpp"

#include "server/kube/access/errc.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::running {

namespace {

const kube::client::Resource configurations{"admissionregistration.k8s.io", "v1",
                                            "mutatingwebhookconfigurations", ""};

}  // namespace

// Of its first webhook that is called by way of a Service.
std::string installation_namespace(const Json& configuration) {
  const Json& webhooks = text::member(configuration, "webhooks");
  for (const Json& webhook : webhooks) {
    const std::string ns = text::text_member(
        text::member(text::member(webhook, "clientConfig"), "service"), "namespace");
    if (!ns.empty()) return ns;
  }
  return {};
}

Result<Installation> find_installation(running::ApiServer& session, const std::string& asked) {
  if (!asked.empty()) return Installation{asked, "--namespace"};
  const kube::client::Response response =
      session.send(kube::client::get(configurations, installed_name));
  if (!response.answered())
    return Error(kube::access::Errc::api_access,
                 fmt::format("cannot get {}: {}", configurations.name(), response.error));
  if (response.ok())
    if (std::string ns = installation_namespace(text::parse_or_discard(response.body)); !ns.empty())
      return Installation{std::move(ns), "the MutatingWebhookConfiguration tpu-webhook"};
  if (kube::access::PodAccess::from_environment().in_cluster())
    return Installation{session.config().ns, session.config().source};
  return Installation{usual_namespace, "the default"};
}

}  // namespace tpuwh::server::running
