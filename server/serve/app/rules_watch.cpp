#include "server/serve/app/rules_watch.hpp"

#include "server/settings/rules_file.hpp"

#include <utility>

namespace tpuwh::server::app {

RulesWatch::RulesWatch(std::string file, Rules first)
    : file_(std::move(file)), rules_(std::move(first)) {}

std::optional<RulesWatch::Change> RulesWatch::poll() {
  const tls::Stamp now = tls::stamp(file_);  // before what is read: a change meanwhile is seen next
  if (now == seen_) return std::nullopt;
  settings::RulesFile read = settings::read_rules(file_);
  seen_ = now;
  if (!read.problems.empty()) {
    std::string error = settings::lines_of(read.problems);
    if (error == reported_) return std::nullopt;
    reported_ = error;
    return Change{nullptr, std::move(error)};
  }
  const bool repaired = !std::exchange(reported_, {}).empty();
  if (read.rules == *rules_ && !repaired) return std::nullopt;
  rules_ = std::make_shared<const webhook::rules::Rules>(std::move(read.rules));
  return Change{rules_, {}};
}

}  // namespace tpuwh::server::app
