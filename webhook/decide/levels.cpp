#include "webhook/decide/levels.hpp"

#include "base/result.hpp"
#include "webhook/findings/finding.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tpuwh::webhook::decide {

namespace {

using findings::Level;
using outcome::Notes;

outcome::Decision lowered(outcome::Decision decision, Level level, Notes& notes) {
  switch (level) {
    case Level::deny:
      return decision;
    case Level::warn:
      return outcome::leave_alone(*decision.finding, decision.reason, decision.denial.text(),
                                  notes);
    case Level::off:
      break;
  }
  return outcome::unchanged(decision.reason);
}

}  // namespace

outcome::Decision at_levels(outcome::Decision decision, const config::Config& config,
                            std::string_view ns, Notes& notes) {
  // What was noted, though a finding of its kind is mostly refused, is never more than a warning.
  const auto level_of = [&](const Notes::Warning& warning) {
    if (!warning.finding) return Level::warn;
    const Level level = config.level_of(*warning.finding, ns);
    return findings::row(*warning.finding).level == Level::deny ? std::min(level, Level::warn)
                                                                : level;
  };
  std::vector<Notes::Warning>& warnings = notes.warnings();
  std::erase_if(warnings, [&](const auto& each) { return level_of(each) == Level::off; });
  if (decision.outcome == outcome::Outcome::denied && decision.finding)
    return lowered(std::move(decision), config.level_of(*decision.finding, ns), notes);
  if (decision.outcome != outcome::Outcome::patched &&
      decision.outcome != outcome::Outcome::unchanged)
    return decision;
  const auto refused = std::ranges::find(warnings, Level::deny, level_of);
  if (refused == warnings.end()) return decision;
  decision.outcome = outcome::Outcome::denied;
  decision.reason = outcome::Reason::forbidden;
  decision.denial = bad_value(std::move(refused->sentence));
  decision.finding = refused->finding;
  warnings.erase(refused);
  return decision;
}

}  // namespace tpuwh::webhook::decide
