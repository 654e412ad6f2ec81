// Whether the network lets callers in and the program out, as NetworkPolicies say it. What is
// allowed by one of them is allowed; Pods that none is for are open.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto network_line = "network-policy";

enum class Way {
  closed,
  narrow,  // for some peers
  open,    // for all
};

// A direction: its policy type, its rules, and whom a rule is about.
struct Direction {
  const char *type, *rules, *peers;
};
constexpr Direction inward{"Ingress", "ingress", "from"};
constexpr Direction outward{"Egress", "egress", "to"};

// By the API's rule a policy without types is for Ingress, and for Egress where it has such rules.
bool is_for(const Json& policy, const Direction& direction) {
  const Json& spec = text::member(policy, "spec");
  const Json& types = text::member(spec, "policyTypes");
  if (types.is_array() && !types.empty())
    return std::find(types.begin(), types.end(), Json(direction.type)) != types.end();
  return direction.type == inward.type || !text::member(spec, direction.rules).is_null();
}

// Whether an entry of `ports` is for a port of TCP; a name is a container's.
bool is_for_port(const Json& entry, int port, const Json& pod) {
  const std::string protocol = text::text_member(entry, "protocol");
  if (!protocol.empty() && protocol != "TCP") return false;
  const Json& said = text::member(entry, "port");
  if (said.is_null()) return true;
  if (said.is_string()) return container_port(pod, said.get<std::string>()) == port;
  if (!said.is_number_integer()) return false;
  const Json& end = text::member(entry, "endPort");
  const int first = said.get<int>(), last = end.is_number_integer() ? end.get<int>() : first;
  return first <= port && port <= last;
}

class Policies {
 public:
  explicit Policies(const View& view) : pod_(pod_template(view.deployment.object)) {
    const Json& labels = text::member(text::member(pod_, "metadata"), "labels");
    for (const Json& each : view.policies.items)
      if (objects::finds(text::member(text::member(each, "spec"), "podSelector"), labels))
        ours_.push_back(&each);
  }

  std::string names() const {
    std::vector<std::string> out;
    for (const Json* each : ours_) out.push_back(name_of_object(*each));
    return fmt::format("{}", fmt::join(out, ", "));
  }
  bool empty() const { return ours_.empty(); }

  // `matters`: of a port entry; an entry that is not there is for all ports.
  template <class Matters>
  Way way(const Direction& direction, const Matters& matters) const {
    Way best = Way::closed;
    const bool any = for_each_rule(direction, [&](const Json& rule, const Json& ports) {
      if (ports.empty() || std::any_of(ports.begin(), ports.end(), matters))
        best =
            std::max(best, text::member(rule, direction.peers).empty() ? Way::open : Way::narrow);
    });
    return any ? best : Way::open;
  }

  Way in_at(int port) const {
    return way(inward, [&](const Json& each) { return is_for_port(each, port, pod_); });
  }

  // To anything but a name server: at which port the API server is, only the Pods' network knows.
  Way out_to_the_api_server() const {
    constexpr int dns = 53;
    return way(outward, [&](const Json& each) {
      const std::string protocol = text::text_member(each, "protocol");
      return (protocol.empty() || protocol == "TCP") && text::member(each, "port") != dns;
    });
  }

  // What all of them open, in words: "443, 6443".
  std::string ports(const Direction& direction) const {
    std::set<std::string> out;
    const bool any = for_each_rule(direction, [&](const Json&, const Json& ports) {
      if (ports.empty()) out.insert("any port");
      for (const Json& each : ports) out.insert(words(each));
    });
    if (!any) return "any port";
    return out.empty() ? "nothing" : fmt::format("{}", fmt::join(out, ", "));
  }

 private:
  // False where no policy speaks of this direction, which is then open.
  template <class Each>
  bool for_each_rule(const Direction& direction, const Each& each) const {
    bool any = false;
    for (const Json* policy : ours_) {
      if (!is_for(*policy, direction)) continue;
      any = true;
      for (const Json& rule : text::member(text::member(*policy, "spec"), direction.rules))
        each(rule, text::member(rule, "ports"));
    }
    return any;
  }

  static std::string words(const Json& entry) {
    const Json& port = text::member(entry, "port");
    std::string out = port.is_null()     ? "any port"
                      : port.is_string() ? port.get<std::string>()
                                         : text::dump_json(port);
    if (const Json& end = text::member(entry, "endPort"); !end.is_null())
      out += "-" + text::dump_json(end);
    const std::string protocol = text::text_member(entry, "protocol");
    return protocol.empty() || protocol == "TCP" ? out : out + "/" + protocol;
  }

  const Json& pod_;
  std::vector<const Json*> ours_;
};

std::string fix_of(const View& view) {
  return with_note(put_back(view),
                   "other policies still apply: one that allows it is enough, as the chart's does");
}

}  // namespace

void check_network(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  if (!view.policies.there()) return unknown(out, network_line, view.policies.why);
  const Policies all(view);
  const auto own = std::ranges::find_if(view.policies.items, [](const Json& each) {
    return name_of_object(each) == running::installed_name;
  });
  if (all.empty() && own != view.policies.items.end()) {
    Mending mending(view, *own, "networkpolicy tpu-webhook", view.ns);
    mending.add_selector("/spec", "podSelector", selector_of(view.deployment.object));
    return warn(
        out, network_line,
        "NetworkPolicy tpu-webhook selects no Pod of the Deployment, so they are open to all",
        mending.command());
  }
  if (all.empty())
    return ok(out, network_line,
              "no NetworkPolicy selects the replicas: whoever reaches them may call them");
  const std::size_t before = out.size();
  const int https = container_port(pod_template(view.deployment.object), "https");
  const Way calls = all.in_at(https);
  if (calls == Way::closed)
    fail(out, network_line,
         fmt::format("NetworkPolicies ({}) allow no caller at port {}, where the API server calls: "
                     "no review is answered if the network enforces them",
                     all.names(), https),
         fix_of(view));
  else if (calls == Way::narrow)
    unknown(out, network_line,
            fmt::format("whether NetworkPolicies ({}) allow the API server at port {}", all.names(),
                        https));
  const int health = container_port(pod_template(view.deployment.object), "health");
  const int metrics = container_port(pod_template(view.deployment.object), "metrics");
  if (health != 0 && all.in_at(health) == Way::closed)
    warn(out, network_line,
         fmt::format("NetworkPolicies ({}) allow no caller at port {}, where probes{} are served",
                     all.names(), health, metrics == 0 ? " and metrics" : ""),
         fix_of(view));
  if (metrics != 0 && all.in_at(metrics) == Way::closed)
    warn(out, network_line,
         fmt::format("NetworkPolicies ({}) allow no caller at port {}, where metrics are served",
                     all.names(), metrics),
         fix_of(view));
  const Way asks = needs_api_server(view) ? all.out_to_the_api_server() : Way::open;
  if (asks == Way::closed)
    fail(out, network_line,
         fmt::format("NetworkPolicies ({}) do not allow the program to reach an API server: a "
                     "replica that starts is never ready if the network enforces them",
                     all.names()),
         fix_of(view));
  else if (asks == Way::narrow)
    unknown(out, network_line,
            fmt::format("whether NetworkPolicies ({}) allow the program to reach the API server",
                        all.names()));
  if (out.size() > before) return;
  ok(out, network_line,
     fmt::format("NetworkPolicies ({}) allow calls to the replicas at {}, and from them to {}",
                 all.names(), all.ports(inward), all.ports(outward)));
}

}  // namespace tpuwh::server::doctor
