// The answer to one input, for people.
#pragma once

#include "server/review/outcome.hpp"
#include "webhook/config/config.hpp"

#include <string>

namespace tpuwh::server::review {

struct Style {
  bool colour = false;
};

// What was found, each change with its reason, warnings.
std::string as_text(const ReviewOutcome& outcome, const webhook::config::Config& config,
                    Style style);

// The object before and after as YAML, only what differs with three lines around.
std::string as_diff(const ReviewOutcome& outcome, Style style);

}  // namespace tpuwh::server::review
