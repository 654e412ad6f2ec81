// The ledger of a worker group as an object of the cluster: a ConfigMap in our own namespace.
//
//   name    tpu-ledger-<32 hex digits> of namespace, RayCluster, its uid and group
//   label   app.kubernetes.io/component: ledger, by which all are listed
//   data    format "1", the four names, hosts-per-slice, state "whole" or "rebuilding",
//           entries: one token a line
//
// docs/contract.md, "The ledger"; docs/decisions/0008 says why a ConfigMap. A format with a
// higher number is refused: the program that wrote it is newer and may mean something else.
#pragma once

#include "base/result.hpp"
#include "server/kube/client/request.hpp"
#include "server/kube/store/objects.hpp"
#include "server/text/json.hpp"
#include "webhook/ledger/record.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tpuwh::server::kube::cluster {

inline constexpr std::string_view ledger_label = "app.kubernetes.io/component=ledger";

// Where they are.
client::Resource ledger_objects(std::string_view ns);

std::string ledger_object_name(const store::GroupName& group);

struct LedgerObject {
  store::GroupName group;
  std::string name;
  std::string version;  // metadata.resourceVersion
  webhook::ledger::LedgerRecord record;
  // Entries of places that are not of its slices, which are not in `record`: written by hand, or
  // taken from a label once. The next write leaves them out.
  std::size_t dropped = 0;
};

// `version` "" for one that is to be created.
std::string ledger_object_text(const store::GroupName& group,
                               const webhook::ledger::LedgerRecord& record,
                               std::string_view version);

//   errors  bad_value: what was found in which object, and what would be right
Result<LedgerObject> read_ledger_object(const Json& object);
// The same of a text; bad_json for what is not JSON.
Result<LedgerObject> parse_ledger_object(std::string_view json);

}  // namespace tpuwh::server::kube::cluster
