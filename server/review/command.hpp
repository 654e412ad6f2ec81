// `tpu-webhook review`: what the server would answer, without a server.
#pragma once

#include "server/text/console.hpp"
#include "webhook/config/config.hpp"

#include <string>

namespace tpuwh::server::review {

enum class ReviewOutput { review, patch, object, text, diff };

struct ReviewOptions {
  std::string file = "-";  // "-" is standard input
  ReviewOutput output = ReviewOutput::review;
  std::string cluster;  // a snapshot file; "" for none
  webhook::config::Config config;
};

// Answers every input of the file in order, as Pods of one cluster created in that
// order; one JSON line each, or a paragraph for people.
//
//   returns  0 all allowed, 1 any denied, 2 any unusable or the file unreadable (a
//            sentence on err); the worst counts
int run_review(const ReviewOptions& options, const text::Console& console);

}  // namespace tpuwh::server::review
