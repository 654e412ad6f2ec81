#include "kubectl/policy/command.hpp"

#include "kubectl/policy/rules_law.hpp"
#include "kubectl/policy/size_law.hpp"
#include "kubectl/text/json_line.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

namespace tpuwh::server::policy {

namespace {

// Returns which namespaces the policies skip: kube-system, and namespaces with the label
// tpu-webhook.dev/mode=shadow, which the chart's value shadowNamespaces selects by default.
Elsewhere elsewhere(const webhook::config::Config& config) {
  return {.namespaces = {"kube-system"}, .label = config.prefix + "mode", .value = "shadow"};
}

std::vector<Json> policies(const PolicyOptions& options) {
  std::vector<Policy> all = size_law(options.config, options.most);
  if (options.rules)
    std::ranges::move(rules_law(*options.rules, options.config.prefix, options.most),
                      std::back_inserter(all));
  std::vector<Json> out;
  for (const Policy& each : all) {
    out.push_back(policy_object(each));
    out.push_back(binding_object(each, elsewhere(options.config)));
  }
  return out;
}

constexpr auto whom_they_miss =
    "# No policy looks at Pods: what a plain Pod may ask for, or one of an owner of another kind, "
    "is\n"
    "# held by a ResourceQuota. For each namespace: kubectl tpu policy --quota NAMESPACE=CHIPS\n";

}  // namespace

int run_policy(const PolicyOptions& options, const text::Console& console) {
  const Json all =
      options.shares.empty() ? policies(options) : quota_objects(options.shares, options.quota_of);
  if (options.output == PolicyOutput::json) {
    console.out << text::json_line({{"apiVersion", "v1"}, {"kind", "List"}, {"items", all}}, true);
    return 0;
  }
  if (options.shares.empty() && options.rules) console.out << whom_they_miss;
  for (std::string between; const Json& each : all) {
    console.out << text::printed_lines(between + text::to_yaml(each));
    between = "---\n";
  }
  return 0;
}

}  // namespace tpuwh::server::policy
