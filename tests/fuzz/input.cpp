#include "kubectl/review/command.hpp"
#include "tests/fuzz/printed.hpp"
#include "tests/fuzz/targets.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace tpuwh::fuzz {

namespace {

using server::review::ReviewOutput;

Ended run(std::string_view bytes, ReviewOutput output) {
  server::review::ReviewOptions options;
  options.output = output;
  Ended ended = run_command(bytes, [&](const server::text::Console& console) {
    return server::review::run_review(options, console);
  });
  require(ended.code >= 0 && ended.code <= 2, "exit code " + std::to_string(ended.code));
  require((ended.code == 2) == !ended.err.empty(),
          "a sentence on stderr and exit code 2 go together");
  return ended;
}

void require_json_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) require(nlohmann::json::accept(line), "no JSON line: " + line);
  require(text.empty() || text.back() == '\n', "the last line does not end");
}

}  // namespace

void input(std::string_view bytes) {
  const Ended review = run(bytes, ReviewOutput::review);
  for (const ReviewOutput output :
       {ReviewOutput::patch, ReviewOutput::object, ReviewOutput::json}) {
    const Ended other = run(bytes, output);
    require_json_lines(other.out);
    require(other.code == review.code, "the exit code depends on the output");
    require(std::ranges::count(other.out, '\n') == std::ranges::count(review.out, '\n'),
            "not one line for each input");
  }
  require_json_lines(review.out);
  require(run(bytes, ReviewOutput::text).code == review.code, "text: another exit code");
  require(run(bytes, ReviewOutput::diff).code == review.code, "diff: another exit code");
}

}  // namespace tpuwh::fuzz
