// The declared surface as a value: what this program may ever write into a Pod and what it
// reads, as one release printed it. Its JSON form is an interface: docs/contract.md, "Rules".
#pragma once

#include "server/kube/cluster/rbac.hpp"
#include "server/settings/layers.hpp"
#include "server/text/json_text.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::rules {

struct Write {
  std::string operation;  // "add"
  std::string path;       // JSON pointer, '*' for an index
  std::string when;
  std::string why;
};

struct Read {
  std::string where;  // "review", "Pod", "file"
  std::string what;
  std::string why;
};

struct Rules {
  std::string version;  // of the program
  std::string prefix;   // of its annotations and labels
  std::vector<Write> writes;
  std::vector<std::string> never;
  std::vector<Read> reads;
};

// Returns the rules of this version of tpu-webhook: the fields that it may write into a Pod, and
// the data that it reads. `prefix` is the prefix of tpu-webhook's annotations and labels, such as
// "tpu-webhook.dev/".
Rules rules_of(const std::string& prefix);

inline constexpr int rules_format = 1;  // what "format" says in it
Json to_json(const Rules& rules);

// Returns the settings that determine the RBAC rules. If `layers` has a configuration file, the
// settings are taken from `resolved`, the options that layers.resolve() returned. Otherwise the
// settings are the defaults of the chart.
kube::cluster::RbacNeeds needs_of(const settings::Layers& layers,
                                  const settings::ServeOptions& resolved);

// Returns to_json(rules_of(prefix)) with one more field, "rights": the RBAC rules that `serve`
// needs.
Json rules_json(const std::string& prefix, const kube::cluster::RbacNeeds& needs);

}  // namespace tpuwh::server::rules
