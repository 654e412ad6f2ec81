#include "kubectl/predict/explain/command.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/printed.hpp"
#include "tests/fuzz/targets.hpp"

namespace tpuwh::fuzz {

namespace {

using server::explain::ExplainOutput;

Ended explained(std::string_view bytes, ExplainOutput output) {
  server::explain::ExplainOptions options;
  options.output = output;
  Ended said = run_command(bytes, [&](const server::text::Console& console) {
    return server::explain::run_explain(options, console);
  });
  require_ended(said);
  return said;
}

}  // namespace

void manifest(std::string_view bytes) {
  const Ended text = explained(bytes, ExplainOutput::text);
  require_plain(text.out);
  const Ended json = explained(bytes, ExplainOutput::json);
  require_json(json.out);
  const Ended page = explained(bytes, ExplainOutput::html);
  require_plain(page.out);
  require(page.out.find("<script") == page.out.npos, "a script in the page");
  require(text.code == json.code && text.code == page.code, "the exit code depends on the output");
  require_linear_time(bytes, "\n---\n",
                      [](std::string_view input) { explained(input, ExplainOutput::text); });
}

}  // namespace tpuwh::fuzz
