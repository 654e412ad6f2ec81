#include "server/rules/command.hpp"

#include "server/rules/report.hpp"
#include "server/rules/rules.hpp"
#include "server/text/json_line.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>

#include <ostream>

namespace tpuwh::server::rules {

namespace {

text::Printed print(const Rules& rules, RulesOutput output) {
  switch (output) {
    case RulesOutput::text:
      return text::printed_lines(as_text(rules));
    case RulesOutput::markdown:
      return text::printed_lines(as_markdown(rules));
    case RulesOutput::json:
      return text::json_line(to_json(rules), true);
  }
  return {};
}

text::Printed print(const Rules& older, const Rules& newer, const RulesDiff& diff,
                    RulesOutput output) {
  switch (output) {
    case RulesOutput::text:
      return text::printed_lines(as_text(older, newer, diff));
    case RulesOutput::markdown:
      return text::printed_lines(as_markdown(older, newer, diff));
    case RulesOutput::json:
      return text::json_line(to_json(older, newer, diff), true);
  }
  return {};
}

Result<Rules> read_rules(const std::string& file) {
  const auto text = text::read_file(file, text::max_small_bytes);
  if (!text) return text.error();
  return parse_rules(*text);
}

}  // namespace

int run_rules(const RulesOptions& options, const text::Console& console) {
  const Rules rules = rules_of(options.prefix);
  if (options.older.empty()) {
    console.out << print(rules, options.output);
    return 0;
  }
  const auto older = read_rules(options.older);
  if (!older)
    return text::print_error(console, fmt::format("{}: {}", options.older, older.error().text()));
  const RulesDiff diff = compare(*older, rules);
  console.out << print(*older, rules, diff, options.output);
  return diff.grew() ? 1 : 0;
}

}  // namespace tpuwh::server::rules
