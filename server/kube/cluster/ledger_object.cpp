#include "server/kube/cluster/ledger_object.hpp"

#include "webhook/text/hash.hpp"
#include "webhook/text/names.hpp"

#include <nlohmann/json.hpp>

namespace tpuwh::server::kube::cluster {
namespace {

using Json = nlohmann::json;

constexpr std::string_view format = "1";
constexpr std::string_view rebuilding = "rebuilding";

// "" where it is missing or no text.
std::string text_at(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json part(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found == object.end() ? Json() : *found;
}

Error wrong(const std::string& name, std::string_view what) {
  return Error(Errc::bad_value, "ledger object " + name + ": " + std::string(what));
}

}  // namespace

client::Resource ledger_objects(std::string_view ns) {
  return {.group = "", .version = "v1", .plural = "configmaps", .ns = std::string(ns)};
}

std::string ledger_object_name(const store::GroupName& group) {
  const std::string_view parts[] = {group.ns, group.cluster, group.cluster_uid, group.group};
  const auto digits = webhook::text::slice_key(parts);
  return "tpu-ledger-" + std::string(webhook::text::view(digits));
}

std::string ledger_object_text(const store::GroupName& group,
                               const webhook::ledger::LedgerRecord& record,
                               std::string_view version) {
  Json object = {{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata",
                  {{"name", ledger_object_name(group)},
                   {"labels",
                    {{"app.kubernetes.io/component", "ledger"},
                     {"app.kubernetes.io/managed-by", "tpu-webhook"}}}}},
                 {"data",
                  {{"format", format},
                   {"namespace", group.ns},
                   {"ray-cluster", group.cluster},
                   {"ray-cluster-uid", group.cluster_uid},
                   {"group", group.group},
                   {"hosts-per-slice", std::to_string(record.hosts_per_slice)},
                   {"state", record.rebuilding ? rebuilding : std::string_view("whole")},
                   {"entries", webhook::ledger::entries_text(record)}}}};
  if (!version.empty()) object["metadata"]["resourceVersion"] = version;
  return object.dump();
}

Result<LedgerObject> read_ledger_object(std::string_view json) {
  const Json object = Json::parse(json, nullptr, false);
  if (object.is_discarded()) return Error(Errc::bad_json, "a ledger object is no JSON");
  const Json metadata = part(object, "metadata");
  const Json data = part(object, "data");
  LedgerObject ledger{.group = {text_at(data, "namespace"), text_at(data, "ray-cluster"),
                                text_at(data, "ray-cluster-uid"), text_at(data, "group")},
                      .name = text_at(metadata, "name"),
                      .version = text_at(metadata, "resourceVersion"),
                      .record = {}};
  const std::string found = text_at(data, "format");
  if (found != format)
    return wrong(ledger.name, "format is \"" + webhook::text::printable(found) + "\", expected \"" +
                                  std::string(format) + "\"; another release wrote it");
  if (ledger.name != ledger_object_name(ledger.group))
    return wrong(ledger.name, "its names belong to " + ledger_object_name(ledger.group));
  const std::string hosts = text_at(data, "hosts-per-slice");
  const auto number = webhook::text::plain_decimal(hosts);
  if (!number)
    return wrong(ledger.name, "hosts-per-slice is \"" + webhook::text::printable(hosts) +
                                  "\", expected a plain decimal");
  auto entries = webhook::ledger::parse_entries(text_at(data, "entries"));
  if (!entries) return wrong(ledger.name, "entries: " + entries.error().message());
  ledger.record = {.hosts_per_slice = *number,
                   .rebuilding = text_at(data, "state") == rebuilding,
                   .entries = std::move(*entries)};
  return ledger;
}

}  // namespace tpuwh::server::kube::cluster
