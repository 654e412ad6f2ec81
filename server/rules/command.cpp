#include "server/rules/command.hpp"

#include "server/rules/report.hpp"
#include "server/text/json_line.hpp"

#include <ostream>

namespace tpuwh::server::rules {

int run_rules(const RulesOptions& options, const text::Console& console) {
  const Rules rules = rules_of(options.prefix);
  switch (options.output) {
    case RulesOutput::text:
      console.out << text::printed_lines(as_text(rules));
      break;
    case RulesOutput::markdown:
      console.out << text::printed_lines(as_markdown(rules));
      break;
    case RulesOutput::json:
      console.out << text::json_line(to_json(rules), true);
  }
  return 0;
}

}  // namespace tpuwh::server::rules
