#include "kubectl/predict/outlook/queue_objects.hpp"

#include "base/names.hpp"
#include "kubectl/objects/quantity.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/chips.hpp"

namespace tpuwh::server::outlook {

namespace {

using text::member;
using text::text_member;

// The elements of the list under `key`; none where it is no list.
std::vector<Json> elements(const Json& object, const char* key) {
  const Json* list = text::find_member(object, key);
  return list != nullptr && list->is_array() ? list->get<std::vector<Json>>() : std::vector<Json>();
}

// A quantity is a string from an API server, and a number in what a person wrote.
std::optional<std::uint64_t> chips(const Json& quantity) {
  if (quantity.is_number_integer() && quantity >= 0) return quantity.get<std::uint64_t>();
  if (!quantity.is_string()) return std::nullopt;
  const auto counted = webhook::read::chip_count(quantity.get_ref<const std::string&>());
  return counted ? std::optional(*counted) : std::nullopt;
}

std::string stop_policy(const Json& spec) {
  const std::string policy = text_member(spec, "stopPolicy");
  return policy == "None" ? "" : policy;
}

std::string inactive(const Json& object) {
  for (const Json& condition : elements(member(object, "status"), "conditions")) {
    if (text_member(condition, "type") != "Active" || text_member(condition, "status") != "False")
      continue;
    const std::string message = text_member(condition, "message");
    return message.empty() ? "it gives no details" : message;
  }
  return {};
}

LocalQueue local_queue(const Json& object) {
  const Json spec = member(object, "spec");
  return {text_member(spec, "clusterQueue"), stop_policy(spec), inactive(object)};
}

std::optional<double> amount(const Json& resource, const char* key) {
  const auto quantity = objects::quantity_of(text::find_member(resource, key));
  return quantity ? std::optional(quantity->value) : std::nullopt;
}

// What stands there and is no quantity: "${CHIPS}"; "" where nothing does.
std::string not_a_quantity(const Json& resource, const char* key) {
  return amount(resource, key) ? "" : text_member(resource, key);
}

// "total", by flavor and resource.
using Reserved = std::map<std::pair<std::string, std::string>, double>;
Reserved reserved(const Json& status) {
  Reserved out;
  for (const Json& flavor : elements(status, "flavorsReservation"))
    for (const Json& resource : elements(flavor, "resources"))
      out[{text_member(flavor, "name"), text_member(resource, "name")}] =
          amount(resource, "total").value_or(0);
  return out;
}

ResourceGroup resource_group(const Json& group, const Reserved& taken) {
  ResourceGroup out;
  for (const Json& resource : elements(group, "coveredResources"))
    if (resource.is_string()) out.covered.insert(resource.get<std::string>());
  for (const Json& flavor : elements(group, "flavors")) {
    FlavorQuota& quota = out.flavors.emplace_back();
    quota.flavor = text_member(flavor, "name");
    for (const Json& resource : elements(flavor, "resources")) {
      const std::string name = text_member(resource, "name");
      const auto found = taken.find({quota.flavor, name});
      quota.of[name] = {.nominal = amount(resource, "nominalQuota").value_or(0),
                        .reserved = found == taken.end() ? 0 : found->second,
                        .borrowing_limit = amount(resource, "borrowingLimit"),
                        .not_a_quantity = not_a_quantity(resource, "nominalQuota")};
    }
  }
  return out;
}

Namespaces namespaces_of(const Json& spec) {
  const Json selector = member(spec, "namespaceSelector");
  if (!selector.is_object()) return Namespaces::none;
  return selector.empty() ? Namespaces::all : Namespaces::some;
}

// v1beta1 has the names of cohort and admission checks directly.
std::string cohort_of(const Json& spec) {
  const std::string name = text_member(spec, "cohortName");
  return name.empty() ? text_member(spec, "cohort") : name;
}

std::vector<std::string> checks_of(const Json& spec) {
  std::vector<std::string> out;
  for (const Json& name : elements(spec, "admissionChecks"))
    if (name.is_string()) out.push_back(name.get<std::string>());
  for (const Json& check : elements(member(spec, "admissionChecksStrategy"), "admissionChecks"))
    out.push_back(text_member(check, "name"));
  return out;
}

ClusterQueue cluster_queue(const Json& object) {
  const Json spec = member(object, "spec"), status = member(object, "status");
  ClusterQueue queue{.cohort = cohort_of(spec),
                     .stopped = stop_policy(spec),
                     .inactive = inactive(object),
                     .namespaces = namespaces_of(spec),
                     .strict = text_member(spec, "queueingStrategy") == "StrictFIFO",
                     .pending = chips(member(status, "pendingWorkloads")).value_or(0),
                     .checks = checks_of(spec),
                     .groups = {}};
  const auto taken = reserved(status);
  for (const Json& group : elements(spec, "resourceGroups"))
    queue.groups.push_back(resource_group(group, taken));
  return queue;
}

Flavor flavor(const Json& object) {
  const Json spec = member(object, "spec"), labels = member(spec, "nodeLabels");
  Flavor out;
  if (labels.is_object())
    for (const auto& [key, value] : labels.items())
      if (value.is_string() && !base::has_placeholder(value.get_ref<const std::string&>()))
        out.labels.emplace_back(key, value.get<std::string>());
  for (const Json& taint : elements(spec, "nodeTaints")) {
    const std::string effect = text_member(taint, "effect");
    if (effect == "NoSchedule" || effect == "NoExecute")
      out.taints.push_back(
          {text_member(taint, "key"), text_member(taint, "value"), effect == "NoExecute"});
  }
  for (const Json& toleration : elements(spec, "tolerations"))
    out.tolerated.insert(text_member(toleration, "key"));
  out.topology = text_member(spec, "topologyName");
  return out;
}

bool is_true(const Json& value) {
  return value.is_boolean() && value.get<bool>();
}

ComputeClass compute_class(const Json& object) {
  ComputeClass out;
  for (const Json& priority : elements(member(object, "spec"), "priorities")) {
    const Json tpu = member(priority, "tpu");
    out.priorities.push_back(
        {.accelerator = text_member(tpu, "type"),
         .topology = text_member(tpu, "topology"),
         .chips_per_node = chips(member(tpu, "count")).value_or(0),
         .spot = is_true(member(priority, "spot")),
         .flex_start = is_true(member(member(priority, "flexStart"), "enabled"))});
  }
  return out;
}

}  // namespace

void keep(std::string_view kind, const Json& object, ClusterState& state) {
  const Json metadata = member(object, "metadata");
  const std::string name = text_member(metadata, "name");
  if (kind == "LocalQueue")
    state.local_queues[{text_member(metadata, "namespace"), name}] = local_queue(object);
  else if (kind == "ClusterQueue")
    state.cluster_queues[name] = cluster_queue(object);
  else if (kind == "ResourceFlavor")
    state.flavors[name] = flavor(object);
  else if (kind == "ComputeClass")
    state.compute_classes[name] = compute_class(object);
}

}  // namespace tpuwh::server::outlook
