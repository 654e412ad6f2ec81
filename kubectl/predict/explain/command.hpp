// `kubectl tpu explain`: what becomes of a manifest, before it is applied.
#pragma once

#include "kubectl/inspect/running/cluster_access.hpp"
#include "kubectl/team_rules/rules.hpp"
#include "kubectl/text/console.hpp"
#include "webhook/config/config.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

enum class ExplainOutput { text, html, svg, json, pods, network_policy };

struct ExplainOptions {
  std::vector<std::string> files;  // as source::input_files() takes them; none: standard input
  std::string ns = "default";      // of objects that name none
  ExplainOutput output = ExplainOutput::text;
  bool all = false;               // of text and html: nothing is folded
  bool ask_cluster = false;       // what is there now counts, too
  bool dry_run = false;           // objects and Pods are tried on the running cluster
  bool fields = false;            // instead: which fields are read, as markdown or JSON
  bool strict = false;            // 1 also for warnings, and for what makes Pods and is not read
  running::ClusterAccess access;  // of that cluster
  std::string rules;              // a file of wrappers::read_rules(); "" for none
  webhook::config::Config config;
  std::optional<team_rules::Rules> team_rules = {};
};

//   returns  0 fine, doubtful or without chips, 1 refused, also by the cluster where it was tried
//            (with `strict` also doubtful, and objects
//            that make Pods and are not read); 2 a file or the cluster cannot be read
//            (a sentence on err)
int run_explain(const ExplainOptions& options, const text::Console& console);

}  // namespace tpuwh::server::explain
