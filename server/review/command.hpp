// `tpu-webhook review`: what the server would answer, without a server.
#pragma once

#include "webhook/config/config.hpp"

#include <iosfwd>
#include <string>

namespace tpuwh::server::review {

enum class ReviewOutput { review, patch, object, text, diff };

struct ReviewOptions {
  std::string file = "-";  // "-" is standard input
  ReviewOutput output = ReviewOutput::review;
  std::string cluster;  // a snapshot file; "" for none
  bool colour = false;  // for text and diff; main sets it on a terminal
  webhook::config::Config config;
};

// Answers every input of the file in order, as Pods of one cluster created in that
// order; one JSON line each, or a paragraph for people.
//
//   returns  0 all allowed, 1 any denied, 2 any unusable or the file unreadable (a
//            sentence on `err`); the worst counts
int run_review(const ReviewOptions& options, std::istream& in, std::ostream& out,
               std::ostream& err);

}  // namespace tpuwh::server::review
