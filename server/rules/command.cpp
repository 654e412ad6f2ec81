#include "server/rules/command.hpp"

#include "server/rules/report.hpp"
#include "server/rules/rules.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <ostream>

namespace tpuwh::server::rules {

namespace {

std::string print(const Rules& rules, RulesOutput output) {
  switch (output) {
    case RulesOutput::text:
      return as_text(rules);
    case RulesOutput::markdown:
      return as_markdown(rules);
    case RulesOutput::json:
      return to_json(rules).dump(2) + "\n";
  }
  return {};
}

std::string print(const Rules& older, const Rules& newer, const RulesDiff& diff,
                  RulesOutput output) {
  switch (output) {
    case RulesOutput::text:
      return as_text(older, newer, diff);
    case RulesOutput::markdown:
      return as_markdown(older, newer, diff);
    case RulesOutput::json:
      return to_json(older, newer, diff).dump(2) + "\n";
  }
  return {};
}

Result<Rules> read_rules(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error(Errc::bad_value, std::strerror(errno));
  return parse_rules({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
}

}  // namespace

int run_rules(const RulesOptions& options, std::ostream& out, std::ostream& err) {
  const Rules rules = rules_of(options.prefix);
  if (options.older.empty()) {
    out << print(rules, options.output);
    return 0;
  }
  const auto older = read_rules(options.older);
  if (!older) {
    err << fmt::format("tpu-webhook: {}: {}\n", options.older, older.error().text());
    return 2;
  }
  const RulesDiff diff = compare(*older, rules);
  out << print(*older, rules, diff, options.output);
  return diff.grew() ? 1 : 0;
}

}  // namespace tpuwh::server::rules
