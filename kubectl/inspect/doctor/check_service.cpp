// Whether what the API server calls arrives where a replica listens.
#include "base/counted.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto service_line = "service";
constexpr int called_port = 443;  // of the entries' clientConfig

// By the API's rule an endpoint whose condition is not told is ready.
bool is_ready(const Json& endpoint) {
  const Json& ready = text::member(text::member(endpoint, "conditions"), "ready");
  return !ready.is_boolean() || ready.get<bool>();
}

// The Pods behind a Service: one with addresses of two families is in two EndpointSlices, and is
// one. Where they name no Pod, addresses of that family of which there are most.
struct Endpoints {
  std::set<std::string> pods;
  std::map<std::string, std::size_t> unnamed;  // by address type

  std::size_t count() const {
    std::size_t most = 0;
    for (const auto& [type, number] : unnamed) most = std::max(most, number);
    return pods.size() + most;
  }
};

Endpoints ready_endpoints(const ReadList& slices) {
  Endpoints out;
  for (const Json& slice : slices.items)
    for (const Json& endpoint : text::member(slice, "endpoints")) {
      if (!is_ready(endpoint)) continue;
      const std::string pod = text::text_member(text::member(endpoint, "targetRef"), "name");
      if (pod.empty())
        ++out.unnamed[text::text_member(slice, "addressType")];
      else
        out.pods.insert(pod);
    }
  return out;
}

// Whom it concerns that nobody answers.
std::string refused(const View& view) {
  if (!view.configuration.there()) return {};
  const auto names = refusing(view);
  if (names.empty()) return {};
  return fmt::format(": no Pod can be created that is sent to {} (failurePolicy Fail)",
                     fmt::join(names, ", "));
}

Json wanted_service(const View& view) {
  const Json port = {
      {"name", "https"}, {"port", called_port}, {"targetPort", "https"}, {"protocol", "TCP"}};
  Json spec = {{"type", "ClusterIP"},
               {"ports", Json::array({port})},
               {"sessionAffinity", "None"},
               {"internalTrafficPolicy", "Cluster"},
               {"publishNotReadyAddresses", false}};
  const Json& labels = text::member(selector_of(view.deployment.object), "matchLabels");
  if (labels.is_object()) spec["selector"] = labels;
  return spec;
}

// What the chart does not say.
const std::set<std::string>& service_defaults() {
  static const std::set<std::string> all = {"type", "sessionAffinity", "internalTrafficPolicy",
                                            "publishNotReadyAddresses"};
  return all;
}

// As the API server fills it in; without what it gives by itself.
Json comparable_service(const View& view, const Json& wanted) {
  static const Json defaults = {{"type", "ClusterIP"},
                                {"ports", Json::array({{{"protocol", "TCP"}}})},
                                {"sessionAffinity", "None"},
                                {"internalTrafficPolicy", "Cluster"},
                                {"publishNotReadyAddresses", false}};
  Json spec = filled(text::member(view.service.object, "spec"), defaults);
  if (!spec.is_object()) return Json::object();
  if (!wanted.contains("selector")) spec.erase("selector");
  if (text::text_member(spec, "clusterIP") != "None") spec.erase("clusterIP");
  for (const char* key : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) spec.erase(key);
  return spec;
}

std::string port_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : text::dump_json(value);
}

// What keeps each call from a replica, whatever is ready.
std::vector<std::string> breaks(const View& view) {
  std::vector<std::string> out;
  const Json& spec = text::member(view.service.object, "spec");
  const Json& pod = pod_template(view.deployment.object);
  const Json* called = nullptr;
  for (const Json& each : text::member(spec, "ports"))
    if (text::member(each, "port") == called_port) called = &each;
  if (called == nullptr)
    return {fmt::format("it has no port {}, which the API server calls", called_port)};
  if (!view.deployment.there()) return out;
  if (!objects::selects(view.service.object, text::member(text::member(pod, "metadata"), "labels")))
    out.push_back(fmt::format("its selector {} does not match the Pods of the Deployment",
                              text::dump_json(text::member(spec, "selector"))));
  const Json& target = text::member(*called, "targetPort");
  const int number = target.is_string()           ? container_port(pod, target.get<std::string>())
                     : target.is_number_integer() ? target.get<int>()
                                                  : called_port;
  const auto listens = https_port(view);
  if (number == 0)
    out.push_back(fmt::format("its targetPort is {}, and no container has a port of that name",
                              port_text(target)));
  else if (listens && listens->number != number)
    out.push_back(fmt::format("it sends to port {} of the Pods, but the program listens at {} ({})",
                              number, listens->number, listens->from));
  return out;
}

// Ready endpoints that are none of the Deployment's Pods.
std::vector<std::string> strangers(const View& view, const Endpoints& endpoints) {
  std::set<std::string> own = view.leaving;
  for (const Json& each : view.pods.items) own.insert(name_of_object(each));
  std::vector<std::string> out;
  if (view.pods.there() && !own.empty())
    std::ranges::set_difference(endpoints.pods, own, std::back_inserter(out));
  return out;
}

void check_external(const View& view, const std::string& service, Checks& out) {
  const std::string what =
      fmt::format("{} points to {}, outside the cluster (ExternalName)", service,
                  text::text_member(text::member(view.service.object, "spec"), "externalName"));
  if (!view.deployment.there())
    return ok(out, service_line, what + "; the server there is not checked");
  const Json wanted = wanted_service(view);
  Mending mending(view, view.service.object, "service tpu-webhook", view.ns);
  mending.add("/spec", differences(comparable_service(view, wanted), wanted), service_defaults());
  fail(out, service_line, what + ", so no replica of the Deployment is called" + refused(view),
       mending.command());
}

}  // namespace

void check_service(const View& view, Checks& out) {
  const std::string service = fmt::format("Service {}/{}", view.ns, running::installed_name);
  if (view.service.found == Found::absent)
    return fail(out, service_line,
                service + " does not exist; the API server calls it" + refused(view),
                put_back(view));
  if (!view.service.there()) return unknown(out, service_line, view.service.why);
  if (text::text_member(text::member(view.service.object, "spec"), "type") == "ExternalName")
    return check_external(view, service, out);
  const Json wanted = wanted_service(view), found = comparable_service(view, wanted);
  const auto all = differences(found, wanted);
  const auto broken = breaks(view);
  Mending mending(view, view.service.object, "service tpu-webhook", view.ns);
  mending.add("/spec", all, service_defaults());
  if (!broken.empty()) {
    mending.render();
    return fail(
        out, service_line, fmt::format("{}: {}{}", service, fmt::join(broken, "; "), refused(view)),
        argument(view.deployment.object, "listen").empty() ? mending.command()
                                                           : without_argument(view, "listen"));
  }
  if (!view.endpoint_slices.there()) return unknown(out, service_line, view.endpoint_slices.why);
  const Endpoints endpoints = ready_endpoints(view.endpoint_slices);
  const auto others = strangers(view, endpoints);
  if (!others.empty())
    return fail(out, service_line,
                fmt::format("{} also sends to Pods that do not belong to the Deployment: {}",
                            service, fmt::join(others, ", ")),
                with_note(kubectl(view.ns, "get pods --show-labels"),
                          "remove the labels of the Deployment's Pods from all other Pods"));
  if (endpoints.count() == 0)
    return fail(out, service_line,
                fmt::format("{} has no ready endpoint{}", service, refused(view)),
                with_note(kubectl(view.ns, "get pods,events"),
                          "the Pods' log says why they are not ready"));
  if (!all.empty())
    return warn(out, service_line,
                fmt::format("{} is not as the chart renders it: {}", service, sentences(all)),
                mending.command());
  ok(out, service_line,
     fmt::format("{} has {}", service, base::counted(endpoints.count(), "ready endpoint")));
}

}  // namespace tpuwh::server::doctor
