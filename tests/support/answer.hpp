// What the webhook answers to a review, taken apart and held against the contract
// with the API server (docs/facts.md#admission-answer).
#pragma once

#include "webhook/answer/admit.hpp"
#include "webhook/config/config.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/read/cluster.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tpuwh::test {

// Members keep their order, so that what is written to a file can be read.
using Json = nlohmann::ordered_json;

struct Reply {
  unsigned http_status = 0;
  std::string body;
  Json response;               // of a review, without its patch; null of a Status
  Json patch = Json::array();  // decoded; empty where there is none
  std::string reason;          // of the summary: "injected"
  std::string broken;          // the rule that the answer breaks; "" where it keeps all
};

// Asks for an answer, as an API server would: of a workload object at /validate, of anything
// else at /mutate. One workspace serves all calls, as in the server, so what one
// review leaves behind the next one meets.
Reply ask(const std::string& review, const webhook::config::Config& config = {},
          const webhook::read::ClusterView& cluster = webhook::read::NoCluster());

// The same of a server that has answered before and remembers.
Reply ask(const std::string& review, const webhook::config::Config& config,
          const webhook::read::ClusterView& cluster, webhook::ledger::Ledger& ledger);

// What an answer has and should not: a member that stands twice in its object, or one that is not
// ours. "" where it has none. `body` is JSON.
std::string strange_member(const std::string& body);
// The first half of it, of any JSON.
std::string member_twice(const std::string& text);

// The member of an object; null where there is none, or no object.
const Json& member(const Json& object, const char* key);

// Whether two values are the same to an API server: the order of members is nothing.
bool same_value(const Json& a, const Json& b);

// What a patch makes of an object.
//
//   broken  why it must not be sent: it does not apply under the strictest reading
//           (strict_patch.hpp), or an "add" would put something over what is there
//           and is neither null nor ""
struct Patched {
  Json object;
  std::string broken;
};
Patched apply_patch(const Json& object, const Json& patch);

// Variables of ours, by the record on the object and by what stands in its containers.
struct OurVariable {
  Json::json_pointer container;
  std::size_t index;  // in its env
  std::string name, container_name;
};
std::vector<OurVariable> our_variables(const Json& object);

// The same value in another text: members from the last to the first, and the first
// character of every key and string as an escape.
std::string written_otherwise(const Json& value);

}  // namespace tpuwh::test
