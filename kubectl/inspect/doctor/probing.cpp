#include "kubectl/inspect/doctor/probing.hpp"

#include "kubectl/inspect/doctor/fetch.hpp"
#include "kubectl/inspect/doctor/probe_pod.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/doctor/wanted.hpp"
#include "kubectl/inspect/dry_run/send.hpp"
#include "server/text/json_text.hpp"

#include <utility>

namespace tpuwh::server::doctor {

View fetch_for_probes(running::ApiServer& session, const std::string& installed_in,
                      const std::string& probe_ns) {
  View view;
  view.ns = installed_in;
  view.now = std::chrono::system_clock::now();
  view.configuration = get_object(
      session, {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", ""},
      "tpu-webhook");
  Read ns = get_object(session, {"", "v1", "namespaces", ""}, probe_ns);
  view.namespaces.why = ns.why;
  if (ns.there()) view.namespaces.items.push_back(std::move(ns.object));
  return view;
}

void send_probes(running::ApiServer& session, const std::string& probe_ns, View& view) {
  const std::string prefix = annotation_prefix(view);
  view.probe_ns = probe_ns;
  for (const std::string& workload : handled(view)) {
    Probe probe{.workload = workload, .nonce = dry_run::random_nonce()};
    Json pod = probe_pod(workload, prefix, probe.nonce);
    pod["metadata"]["namespace"] = probe_ns;
    probe.answer = dry_run::try_create(session, {"", "v1", "pods", probe_ns}, pod);
    view.probes.push_back(std::move(probe));
  }
}

}  // namespace tpuwh::server::doctor
