#include "kubectl/reference/rules/command.hpp"

#include "kubectl/reference/rules/entries.hpp"
#include "kubectl/reference/rules/report.hpp"
#include "kubectl/reference/rules/roles.hpp"
#include "kubectl/text/json_line.hpp"

#include <ostream>

namespace tpuwh::server::rules {

int run_rules(const RulesOptions& options, const text::Console& console) {
  const bool json = options.output == RulesOutput::json;
  if (options.entries) {
    console.out << (json ? text::json_line(entries_json(options.config), true)
                         : text::printed_lines(entries_yaml(options.config)));
  } else if (options.rbac) {
    console.out << text::printed_lines(server_roles_yaml(options.needs));
  } else if (json) {
    console.out << text::json_line(rules_json(options.config.prefix, options.needs), true);
  } else {
    const Rules rules = rules_of(options.config.prefix);
    console.out << text::printed_lines(options.output == RulesOutput::text ? as_text(rules)
                                                                           : as_markdown(rules));
  }
  return 0;
}

}  // namespace tpuwh::server::rules
