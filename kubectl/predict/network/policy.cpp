#include "kubectl/predict/network/policy.hpp"

#include "kubectl/objects/object.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tpuwh::server::network {

namespace {

using text::member;
using text::text_member;

Sure both(Sure a, Sure b) {
  return std::min(a, b);
}

Sure either(Sure a, Sure b) {
  return std::max(a, b);
}

Sure sure(bool holds) {
  return holds ? Sure::yes : Sure::no;
}

Sure opposite(Sure a) {
  return a == Sure::maybe ? a : sure(a == Sure::no);
}

bool has_elements(const Json& list) {
  return list.is_array() && !list.empty();
}

// Of a key that Kubernetes, an operator or the webhook may write.
bool is_of_a_controller(std::string_view key) {
  const std::string_view domain = key.substr(0, std::min(key.find('/'), key.size()));
  if (domain.size() == key.size()) return false;
  static constexpr std::array<std::string_view, 4> ends{"k8s.io", "kubernetes.io", "ray.io",
                                                        "tpu-webhook.dev"};
  return std::ranges::any_of(ends, [&](std::string_view end) { return domain.ends_with(end); });
}

// Whether the Pod has the label; where `value` is not null, with that value.
Sure has_label(const Endpoint& pod, const std::string& key, const Json* value) {
  const Json* found = text::find_member(pod.labels, key);
  if (found == nullptr)
    return pod.labels_known && !is_of_a_controller(key) ? Sure::no : Sure::maybe;
  if (value == nullptr) return Sure::yes;
  return found->is_null() ? Sure::maybe : sure(*found == *value);
}

Sure has_one_of(const Endpoint& pod, const std::string& key, const Json& values) {
  Sure out = Sure::no;
  if (!values.is_array()) return Sure::maybe;
  for (const Json& each : values) out = either(out, has_label(pod, key, &each));
  return out;
}

Sure holds(const Endpoint& pod, const Json& expression) {
  const std::string key = text_member(expression, "key");
  const std::string op = text_member(expression, "operator");
  if (op == "Exists") return has_label(pod, key, nullptr);
  if (op == "DoesNotExist") return opposite(has_label(pod, key, nullptr));
  if (op != "In" && op != "NotIn") return Sure::maybe;
  const Sure among = has_one_of(pod, key, member(expression, "values"));
  return op == "In" ? among : opposite(among);
}

// A LabelSelector; one that says nothing finds all.
Sure finds(const Json& selector, const Endpoint& pod) {
  Sure out = Sure::yes;
  const Json& labels = member(selector, "matchLabels");
  if (labels.is_object())
    for (const auto& [key, value] : labels.items()) out = both(out, has_label(pod, key, &value));
  const Json& expressions = member(selector, "matchExpressions");
  if (expressions.is_array())
    for (const Json& each : expressions) out = both(out, holds(pod, each));
  return out;
}

// Of the namespace in which all of this is: it has its name as a label, whatever else it has.
Sure finds_namespace(const Json& selector, const std::string& ns) {
  return finds(
      selector,
      {.labels = {{"kubernetes.io/metadata.name", ns}}, .ports = {}, .labels_known = false});
}

Sure is_peer(const Json& peer, const std::string& ns, const Endpoint& pod) {
  if (!member(peer, "ipBlock").is_null()) return Sure::maybe;
  const Json *namespaces = text::find_member(peer, "namespaceSelector"),
             *pods = text::find_member(peer, "podSelector");
  if (namespaces == nullptr && pods == nullptr) return Sure::maybe;
  return both(namespaces == nullptr ? Sure::yes : finds_namespace(*namespaces, ns),
              pods == nullptr ? Sure::yes : finds(*pods, pod));
}

// By the name of a container's port, which several containers may have.
Sure is_named(const std::string& name, const Endpoint& to, std::uint32_t port) {
  for (const Json& each : to.ports) {
    const std::string protocol = text_member(each, "protocol");
    if (text_member(each, "name") == name && (protocol.empty() || protocol == "TCP"))
      return sure(member(each, "containerPort") == Json(port));
  }
  return Sure::no;
}

Sure is_port(const Json& wanted, const Endpoint& to, std::uint32_t port) {
  const std::string protocol = text_member(wanted, "protocol");
  if (!protocol.empty() && protocol != "TCP") return Sure::no;
  const Json& number = member(wanted, "port");
  if (number.is_null()) return Sure::yes;
  if (number.is_string()) return is_named(number.get<std::string>(), to, port);
  if (!number.is_number_integer()) return Sure::maybe;
  const Json& end = member(wanted, "endPort");
  if (end.is_null()) return sure(number == Json(port));
  if (!end.is_number_integer()) return Sure::maybe;
  return sure(number.get<std::int64_t>() <= port && port <= end.get<std::int64_t>());
}

void add_keys_of(const Json& value, std::set<std::string>& keys) {
  if (value.is_array())
    for (const Json& each : value) add_keys_of(each, keys);
  if (!value.is_object()) return;
  for (const auto& [name, below] : value.items()) {
    if (name == "matchLabels" && below.is_object())
      for (const auto& [key, wanted] : below.items()) keys.insert(key);
    else if (name == "key" && below.is_string())
      keys.insert(below.get<std::string>());
    else
      add_keys_of(below, keys);
  }
}

bool has_port_name(const Json& value) {
  if (value.is_array()) return std::ranges::any_of(value, has_port_name);
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.items(), [](const auto& each) {
    return (each.key() == "port" && each.value().is_string()) || has_port_name(each.value());
  });
}

const char* key_of(Direction direction) {
  return direction == Direction::ingress ? "ingress" : "egress";
}

}  // namespace

Policy::Policy(const Json& object, const std::string& ns)
    : ns_(objects::namespace_of(object, ns)),
      name_(objects::shown_name(object)),
      spec_(member(object, "spec")) {}

void Policy::add_keys(std::set<std::string>& keys) const {
  add_keys_of(spec_, keys);
}

bool Policy::names_ports() const {
  return has_port_name(spec_);
}

Sure Policy::isolates(Direction direction, const Endpoint& pod) const {
  const Json& types = member(spec_, "policyTypes");
  const char* name = direction == Direction::ingress ? "Ingress" : "Egress";
  const bool is_of_type = has_elements(types) ? std::ranges::find(types, Json(name)) != types.end()
                                              : direction == Direction::ingress ||
                                                    has_elements(member(spec_, "egress"));
  return is_of_type ? finds(member(spec_, "podSelector"), pod) : Sure::no;
}

Sure Policy::admits(Direction direction, const Endpoint& from, const Endpoint& to,
                    std::uint32_t port) const {
  const bool in = direction == Direction::ingress;
  const Json& rules = member(spec_, key_of(direction));
  Sure out = Sure::no;
  if (!rules.is_array()) return out;
  for (const Json& rule : rules) {
    const Json &peers = member(rule, in ? "from" : "to"), &ports = member(rule, "ports");
    Sure peer = has_elements(peers) ? Sure::no : Sure::yes;
    if (peers.is_array())
      for (const Json& each : peers) peer = either(peer, is_peer(each, ns_, in ? from : to));
    Sure admitted = has_elements(ports) ? Sure::no : Sure::yes;
    if (ports.is_array())
      for (const Json& each : ports) admitted = either(admitted, is_port(each, to, port));
    out = either(out, both(peer, admitted));
  }
  return out;
}

}  // namespace tpuwh::server::network
