#include "kubectl/inspect/ledger/inventory.hpp"

#include "kubectl/objects/label_selector.hpp"
#include "kubectl/objects/object.hpp"
#include "kubectl/print/table.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::ledger {

namespace {

std::vector<std::string> places(const kube::cluster::LedgerObject& object,
                                const LivingTokens& living, bool with_pod) {
  std::vector<topology::Place> found;
  for (const webhook::ledger::LedgerEntry& entry : object.record.entries)
    if (lives(object, entry, living) == with_pod) found.push_back(entry.place);
  std::ranges::sort(found);
  std::vector<std::string> out;
  for (const topology::Place place : found) out.push_back(place_text(place));
  return out;
}

std::string_view state_of(const kube::cluster::LedgerObject& object) {
  return object.record.rebuilding ? "rebuilding" : "whole";
}

std::string without_pod(const std::vector<std::string>& places) {
  return places.empty() ? "0" : fmt::format("{}: {}", places.size(), fmt::join(places, " "));
}

}  // namespace

void add_pod(const Json& pod, const std::string& label, LivingTokens& living) {
  const Json& metadata = text::member(pod, "metadata");
  const std::string token = text::text_member(text::member(metadata, "labels"), label);
  if (token.empty() || objects::has_ended(pod)) return;
  living.emplace(text::text_member(metadata, "namespace"), token);
}

bool is_ledger_object(const Json& config_map, const std::string& ns) {
  const bool here =
      ns.empty() || text::text_member(text::member(config_map, "metadata"), "namespace") == ns;
  return here && objects::has_labels(config_map, kube::cluster::ledger_label);
}

bool lives(const kube::cluster::LedgerObject& object, const webhook::ledger::LedgerEntry& entry,
           const LivingTokens& living) {
  return living.contains({object.group.ns, entry.token});
}

std::string place_text(topology::Place place) {
  return fmt::format("{}-{}", place.slice, place.host);
}

std::string group_text(const kube::store::GroupName& group) {
  return fmt::format("{}/{}/{}", group.ns, group.cluster, group.group);
}

text::Printed inventory_text(const LedgerInventory& inventory, bool colour) {
  text::Printed below;
  for (const std::string& each : inventory.not_known)
    below += text::printed("not known: {}\n", each);
  if (inventory.objects.empty())
    return text::printed("no ledger object in {}\n{}",
                         inventory.ns.empty() ? "any namespace" : "namespace " + inventory.ns,
                         below);
  print::Table table(
      {"RAYCLUSTER", "GROUP", "HOSTS PER SLICE", "ENTRIES", "WITH POD", "WITHOUT POD", "STATE"});
  for (const kube::cluster::LedgerObject& each : inventory.objects) {
    std::string with = "not known", without = "not known";
    if (inventory.living) {
      with = std::to_string(places(each, *inventory.living, true).size());
      without = without_pod(places(each, *inventory.living, false));
    }
    table.add({each.group.ns + "/" + each.group.cluster, each.group.group,
               std::to_string(each.record.hosts_per_slice),
               std::to_string(each.record.entries.size()), with, without,
               std::string(state_of(each))});
  }
  text::Printed out = table.text(colour);
  if (!below.empty()) out += text::Printed("\n") + below;
  return out;
}

Json inventory_json(const LedgerInventory& inventory) {
  Json out = {{"namespace", inventory.ns.empty() ? Json() : Json(inventory.ns)},
              {"groups", Json::array()},
              {"notKnown", inventory.not_known}};
  for (const kube::cluster::LedgerObject& each : inventory.objects) {
    Json group = {{"namespace", each.group.ns},
                  {"rayCluster", each.group.cluster},
                  {"rayClusterUid", each.group.cluster_uid},
                  {"group", each.group.group},
                  {"object", each.name},
                  {"hostsPerSlice", each.record.hosts_per_slice},
                  {"state", state_of(each)},
                  {"entries", each.record.entries.size()},
                  {"withPod", nullptr},
                  {"withoutPod", nullptr}};
    if (inventory.living) {
      group["withPod"] = places(each, *inventory.living, true);
      group["withoutPod"] = places(each, *inventory.living, false);
    }
    out["groups"].push_back(std::move(group));
  }
  return out;
}

}  // namespace tpuwh::server::ledger
