// `kubectl tpu review`: what the server would answer, without a server.
#pragma once

#include "kubectl/text/console.hpp"
#include "webhook/config/config.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::review {

enum class ReviewOutput { text, json, diff, review, patch, object };

struct ReviewOptions {
  std::vector<std::string> files;  // as source::input_files() takes them; none: standard input
  std::string ns = "default";      // of objects that name none
  // Nothing: text; but of recorded reviews alone, where the output is no terminal, as `review`.
  std::optional<ReviewOutput> output;
  std::vector<std::string> cluster;  // files of a snapshot
  bool strict = false;               // a warning counts as a denial
  webhook::config::Config config;
};

// Answers every input of the files in order, as Pods of one cluster created in that
// order; one JSON line each, or a paragraph for people.
//
//   returns  0 all allowed, 1 any denied (`strict`: or warned of), 2 any unusable or a file
//            unreadable, empty or without objects (a sentence on err); the worst counts
int run_review(const ReviewOptions& options, const text::Console& console);

}  // namespace tpuwh::server::review
