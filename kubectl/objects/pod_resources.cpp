#include "kubectl/objects/pod_resources.hpp"

#include "kubectl/objects/quantity.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>

namespace tpuwh::server::objects {

namespace {

using text::member;

// Of a container, or of a whole Pod's specification.
using OfOne = Amounts (*)(const Json& holder);

Amounts listed(const Json& list) {
  Amounts out;
  if (!list.is_object()) return out;
  for (const auto& [resource, value] : list.items())
    if (const auto amount = quantity_of(&value)) out[resource] = amount->value;
  return out;
}

void add(Amounts& all, const Amounts& more) {
  for (const auto& [resource, amount] : more) all[resource] += amount;
}

void raise(Amounts& all, const Amounts& least) {
  for (const auto& [resource, amount] : least) all[resource] = std::max(all[resource], amount);
}

Amounts limits(const Json& holder) {
  return listed(member(member(holder, "resources"), "limits"));
}

Amounts requests(const Json& holder) {
  Amounts out = listed(member(member(holder, "resources"), "requests"));
  out.merge(limits(holder));
  return out;
}

bool is_of_whole_pods(const std::string& resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

// One of those that restart runs on beside all that come after it.
Amounts of_containers(const Json& spec, OfOne of, const Counts& counts) {
  const auto counted = [&](const Json& each) { return !counts || counts(each); };
  Amounts together, starting, sidecars;
  for (const Json& each : member(spec, "containers"))
    if (counted(each)) add(together, of(each));
  for (const Json& each : member(spec, "initContainers")) {
    if (!counted(each)) continue;
    Amounts now = sidecars;
    add(now, of(each));
    raise(starting, now);
    if (text::text_member(each, "restartPolicy") == "Always") sidecars = now;
  }
  add(together, sidecars);
  raise(together, starting);
  return together;
}

Amounts of_pod(const Json& spec, OfOne of, const Counts& counts) {
  Amounts out = of_containers(spec, of, counts);
  for (const auto& [resource, amount] : of(spec))
    if (is_of_whole_pods(resource)) out[resource] = amount;
  return out;
}

}  // namespace

Amounts requests_of_pod(const Json& pod, const Counts& counts) {
  const Json& spec = member(pod, "spec");
  Amounts out = of_pod(spec, requests, counts);
  add(out, listed(member(spec, "overhead")));
  return out;
}

Amounts limits_of_pod(const Json& pod) {
  const Json& spec = member(pod, "spec");
  Amounts out = of_pod(spec, limits, {});
  for (const auto& [resource, amount] : listed(member(spec, "overhead")))
    if (out.contains(resource)) out[resource] += amount;
  return out;
}

}  // namespace tpuwh::server::objects
