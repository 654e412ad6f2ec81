// Whether the API server can reach the port that the Pods listen at, as far as a port says.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::doctor {

namespace {

// The kubelet's: what a control plane reaches of any node. source: cloud.google.com, "Private
// clusters", firewall rules (read 2026-11)
constexpr int kubelet_port = 10250;
constexpr int usual_https = 443;

// Of an unknown cluster it may be one.
bool may_be_gke(const View& view) {
  return !view.version.there() ||
         text::text_member(view.version.object, "gitVersion").find("-gke.") != std::string::npos;
}

}  // namespace

void check_port(const View& view, Checks& out) {
  constexpr auto check = "port";
  if (!view.deployment.there()) return;
  const int port = container_port(
      text::member(text::member(view.deployment.object, "spec"), "template"), "https");
  if (port == 0) return;
  // Else `service` says that it listens somewhere else.
  if (const auto listens = https_port(view); listens && listens->number != port) return;
  const bool of_host = text::member(pod_spec(view.deployment.object), "hostNetwork") == true;
  const std::string whose = fmt::format("the Pods serve HTTPS at port {}", port);
  if (of_host && port == kubelet_port)
    return warn(out, check,
                fmt::format("{} of their node (hostNetwork), which is the kubelet's", whose),
                "remove hostNetwork; or set another port, opened in the firewall: " +
                    with_values(view, {"--set port=8443"}));
  if (port == kubelet_port || port == usual_https)
    return ok(out, check,
              fmt::format("{}, which a private GKE cluster's firewall also allows", whose));
  const std::string blocked = fmt::format(
      "{}; the firewall of a private GKE cluster lets the control plane reach nodes only at {} and "
      "{}: unless a rule opens it, each review waits for its timeout and is then refused or not, "
      "by its failurePolicy",
      whose, usual_https, kubelet_port);
  if (!may_be_gke(view))
    return ok(out, check,
              fmt::format("{}; a private GKE cluster would need a firewall rule for it", whose));
  warn(out, check, blocked,
       fmt::format("open it in the firewall, or: {}",
                   with_values(view, {fmt::format("--set port={}", kubelet_port)})));
}

}  // namespace tpuwh::server::doctor
