#include "kubectl/reference/rules/command.hpp"

#include "kubectl/reference/rules/entries.hpp"
#include "kubectl/reference/rules/report.hpp"
#include "kubectl/text/json_line.hpp"

#include <ostream>

namespace tpuwh::server::rules {

int run_rules(const RulesOptions& options, const text::Console& console) {
  const bool json = options.output == RulesOutput::json;
  if (options.entries) {
    const webhook::config::Config config = options.layers->resolve().options.webhook;
    console.out << (json ? text::json_line(entries_json(config), true)
                         : text::printed_lines(entries_yaml(config)));
  } else if (options.rbac) {
    console.out << text::printed_lines(kube::cluster::rbac_yaml(needs_of(*options.layers)));
  } else if (json) {
    console.out << text::json_line(rules_json(*options.layers), true);
  } else {
    const Rules rules = rules_of(options.prefix);
    console.out << text::printed_lines(options.output == RulesOutput::text ? as_text(rules)
                                                                           : as_markdown(rules));
  }
  return 0;
}

}  // namespace tpuwh::server::rules
