// What cert-manager is told, where it issues the certificate.
#include "base/names.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/json_path.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::doctor {

namespace {

constexpr auto managed_line = "cert-manager";

// charts/tpu-webhook/templates/certificate.yaml, without the issuer, which a value says.
Json wanted_request(const View& view) {
  const std::string name = fmt::format("{}.{}.svc", running::installed_name, view.ns);
  return {{"secretName", view.secret_name},
          {"dnsNames", {name, name + ".cluster.local"}},
          {"usages", {"server auth", "digital signature"}},
          {"privateKey", {{"algorithm", "ECDSA"}, {"size", 256}, {"rotationPolicy", "Always"}}},
          {"duration", "2160h0m0s"}};
}

// Its controller's own word of why there is no certificate; "" where there is one, or it is silent.
std::string why_not_ready(const Json& request) {
  const Json& ready = objects::condition(request, "Ready");
  if (text::text_member(ready, "status") != "False") return {};
  return base::printable(text::text_member(ready, "message"), 200);
}

}  // namespace

void check_managed(const View& view, Checks& out) {
  if (!view.deployment.there() || view.is_kept || !is_cert_managers(view)) return;
  if (view.request.found == Found::absent)
    return warn(out, managed_line,
                fmt::format("there is no Certificate {}: cert-manager renews nothing, and the "
                            "existing one will expire",
                            running::installed_name),
                put_back(view));
  if (!view.request.there()) return unknown(out, managed_line, view.request.why);
  const Json& spec = text::member(view.request.object, "spec");
  const Json& issuer = text::member(spec, "issuerRef");
  const std::string by =
      fmt::format("{} {}", text::text_member(issuer, "kind"), text::text_member(issuer, "name"));
  Json found = spec.is_object() ? spec : Json::object();
  found.erase("issuerRef");
  // What cert-manager fills in, as of 1.18.
  if (text::member(found, "revisionHistoryLimit") == 1) found.erase("revisionHistoryLimit");
  const auto all = differences(found, wanted_request(view));
  if (!all.empty())
    return warn_of_spec(view, out, managed_line, view.request.object, "Certificate",
                        running::installed_name, view.ns, all);
  if (const auto why = why_not_ready(view.request.object); !why.empty())
    return warn(out, managed_line,
                fmt::format("cert-manager has issued nothing for Certificate tpu-webhook: {}", why),
                with_note(kubectl(view.ns, "describe certificates"), "has its events"));
  ok(out, managed_line, fmt::format("Certificate tpu-webhook is issued by {}", by));
}

}  // namespace tpuwh::server::doctor
