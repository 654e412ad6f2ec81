#include "kubectl/reference/rules_diff/command.hpp"

#include "kubectl/reference/rules_diff/report.hpp"
#include "kubectl/text/json_line.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>

#include <ostream>

namespace tpuwh::server::rules_diff {

namespace {

text::Printed print(const Rules& older, const Rules& newer, const RulesDiff& diff,
                    rules::RulesOutput output) {
  switch (output) {
    case rules::RulesOutput::text:
      return text::printed_lines(as_text(older, newer, diff));
    case rules::RulesOutput::markdown:
      return text::printed_lines(as_markdown(older, newer, diff));
    case rules::RulesOutput::json:
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

int run_rules_diff(const rules::RulesOptions& options, const std::string& older_file,
                   const text::Console& console) {
  const Rules rules = rules::rules_of(options.config.prefix);
  const auto older = read_rules(older_file);
  if (!older)
    return text::print_error(console, fmt::format("{}: {}", older_file, older.error().text()));
  const RulesDiff diff = compare(*older, rules);
  console.out << print(*older, rules, diff, options.output);
  return diff.grew() ? 1 : 0;
}

}  // namespace tpuwh::server::rules_diff
