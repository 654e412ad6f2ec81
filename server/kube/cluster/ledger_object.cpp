#include "server/kube/cluster/ledger_object.hpp"

#include "base/hash.hpp"
#include "base/names.hpp"
#include "base/result.hpp"
#include "server/kube/client/bounded_json.hpp"
#include "server/text/json_text.hpp"
#include "webhook/ledger/token.hpp"

namespace tpuwh::server::kube::cluster {
namespace {

using text::text_member;

constexpr std::string_view format = "1";
constexpr std::string_view rebuilding = "rebuilding";

Error wrong(const std::string& name, std::string_view what) {
  return bad_value("ledger object " + name + ": " + std::string(what));
}

}  // namespace

client::Resource ledger_objects(std::string_view ns) {
  return {.group = "", .version = "v1", .plural = "configmaps", .ns = std::string(ns)};
}

std::string ledger_object_name(const store::GroupName& group) {
  const std::string_view parts[] = {group.ns, group.cluster, group.cluster_uid, group.group};
  const auto digits = base::hash(parts);
  return "tpu-ledger-" + std::string(base::view(digits));
}

std::string ledger_object_text(const store::GroupName& group,
                               const webhook::ledger::LedgerRecord& record,
                               std::string_view version) {
  nlohmann::json object = {{"apiVersion", "v1"},
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
  return text::dump_or_throw(object);
}

Result<LedgerObject> parse_ledger_object(std::string_view json) {
  const auto object = client::parse_bounded(json);
  if (!object) return Error(base::Errc::bad_json, "a ledger object " + object.error().message());
  return read_ledger_object(*object);
}

Result<LedgerObject> read_ledger_object(const Json& object) {
  const Json& metadata = text::member(object, "metadata");
  const Json& data = text::member(object, "data");
  LedgerObject ledger{.group = {text_member(data, "namespace"), text_member(data, "ray-cluster"),
                                text_member(data, "ray-cluster-uid"), text_member(data, "group")},
                      .name = text_member(metadata, "name"),
                      .version = text_member(metadata, "resourceVersion"),
                      .record = {}};
  const std::string found = text_member(data, "format");
  if (found != format)
    return wrong(ledger.name, "format is \"" + base::printable(found) + "\", expected \"" +
                                  std::string(format) + "\"; another release wrote it");
  // Edited to say another group, it would free and give that group's places.
  if (ledger.name != ledger_object_name(ledger.group))
    return wrong(ledger.name, "its names belong to " + ledger_object_name(ledger.group));
  const std::string hosts = text_member(data, "hosts-per-slice");
  const auto number = base::plain_decimal(hosts);
  if (!number || *number == 0 || *number > webhook::ledger::most_places)
    return wrong(ledger.name, "hosts-per-slice is \"" + base::printable(hosts) +
                                  "\", expected a whole number from 1 to " +
                                  std::to_string(webhook::ledger::most_places));
  auto entries = webhook::ledger::parse_entries(text_member(data, "entries"));
  if (!entries) return wrong(ledger.name, "entries: " + entries.error().message());
  ledger.record = {.hosts_per_slice = *number,
                   .rebuilding = text_member(data, "state") == rebuilding,
                   .entries = std::move(*entries)};
  ledger.dropped = ledger.record.drop_impossible();
  return ledger;
}

}  // namespace tpuwh::server::kube::cluster
