// The answer to one input, for people.
#pragma once

#include "kubectl/review/outcome.hpp"
#include "kubectl/text/printed.hpp"
#include "webhook/config/config.hpp"

namespace tpuwh::server::review {

struct Style {
  bool colour = false;
};

// What was found, each change with its reason, warnings.
text::Printed as_text(const ReviewOutcome& outcome, const webhook::config::Config& config,
                      Style style);

// The object before and after as YAML, only what differs with three lines around.
text::Printed as_diff(const ReviewOutcome& outcome, Style style);

}  // namespace tpuwh::server::review
