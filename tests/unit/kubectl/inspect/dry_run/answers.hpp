// Answers of an API server to an object that is sent as a dry run.
#pragma once

#include "kubectl/inspect/dry_run/outcome.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::dry_run {

inline Answer accepted(Json object, std::vector<std::string> warnings = {}) {
  Answer answer;
  answer.answered = true;
  answer.object = std::move(object);
  answer.warnings = std::move(warnings);
  return answer;
}

inline Answer refusal(unsigned code, std::string reason, std::string message) {
  Answer answer;
  answer.answered = true;
  answer.status.code = code;
  answer.status.reason = std::move(reason);
  answer.status.message = std::move(message);
  return answer;
}

}  // namespace tpuwh::server::dry_run
