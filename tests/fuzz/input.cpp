#include "server/review/command.hpp"
#include "tests/fuzz/targets.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace tpuwh::fuzz {

namespace {

using server::review::ReviewOutput;

struct Run {
  int code = 0;
  std::string out;
};

Run run(std::string_view bytes, ReviewOutput output) {
  std::istringstream in{std::string(bytes)};
  std::ostringstream out, err;
  server::review::ReviewOptions options;
  options.output = output;
  Run run;
  run.code = server::review::run_review(options, {in, out, err, false});
  run.out = out.str();
  require(run.code >= 0 && run.code <= 2, "exit code " + std::to_string(run.code));
  require((run.code == 2) == !err.str().empty(),
          "a sentence on stderr and exit code 2 go together");
  return run;
}

void require_json_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) require(nlohmann::json::accept(line), "no JSON line: " + line);
  require(text.empty() || text.back() == '\n', "the last line does not end");
}

}  // namespace

void input(std::string_view bytes) {
  const Run review = run(bytes, ReviewOutput::review);
  for (const ReviewOutput output :
       {ReviewOutput::patch, ReviewOutput::object, ReviewOutput::json}) {
    const Run other = run(bytes, output);
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
