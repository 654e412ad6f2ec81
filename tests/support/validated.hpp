// One workload object through validate(), with what must hold of any answer checked:
// well-formed, uid and version echoed, never a patch.
#pragma once

#include "tests/support/has.hpp"
#include "tests/support/pod_builder.hpp"
#include "webhook/validate/validate.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::test {

using nlohmann::json;
using webhook::outcome::Outcome;
using webhook::outcome::Reason;

struct Validated {
  unsigned status = 0;
  bool allowed = false;
  Outcome outcome{};
  Reason reason{};
  std::string owner;
  std::string message;  // of a denial or of a Status
  std::vector<std::string> warnings;

  bool silent() const { return allowed && warnings.empty(); }
  // The first warning that holds `part`, else "".
  std::string warning(std::string_view part) const;
};

struct Change {
  std::string_view operation = "CREATE";
  json old_object = nullptr;
  std::string_view sub_resource = {};
  webhook::config::Config config{};
  const webhook::read::ClusterView* cluster = nullptr;
};

json review_of_object(const json& object, const Change& change = {});
Validated validated(const json& object, const Change& change = {});

// A Pod template: v6e, one container.
json a_template(std::string_view topology, const json& chips);
// With the worker groups given, each {groupName, numOfHosts, template}.
json a_ray_cluster(const json& groups);
json a_group(std::string_view name, const json& hosts, const json& pod_template);
json a_jobset(const json& replicated_jobs);
// `spec` is that of its Jobs without the template.
json a_replicated_job(std::string_view name, json spec, const json& pod_template);
// Its Pods are not restarted where the template says nothing else.
json a_job(json spec, const json& pod_template);
json an_lws(const json& leader_worker_template);

}  // namespace tpuwh::test
