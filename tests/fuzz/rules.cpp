#include "kubectl/policy/command.hpp"
#include "kubectl/team_rules/judge.hpp"
#include "kubectl/team_rules/rules_file.hpp"
#include "kubectl/text/yaml.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/printed.hpp"
#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <memory>

namespace tpuwh::fuzz {

namespace {

namespace asked = server::team_rules;
using server::Json;

// Breaks most of what a rule may say, in two templates.
asked::AskedObject greedy(std::string_view accelerator, std::string_view topology) {
  const asked::AskedTemplate one{.title = "group a: ",
                                 .accelerator = std::string(accelerator),
                                 .topology = std::string(topology),
                                 .pods = asked::most_pods,
                                 .chips = asked::most_chips_of_pod,
                                 .capacity = asked::Capacity::spot,
                                 .run = {.ends = true}};
  return {.name = "greedy", .templates = {one, one}};
}

void require_judged(const asked::Rules& all) {
  const asked::AskedObject objects[] = {greedy("tpu-v6e-slice", "4x4"), greedy("", ""),
                                        greedy("a\x1b[31m\n", "\xff")};
  for (const asked::AskedObject& object : objects)
    for (const std::string_view ns : {"default", "team-dev", "", "*"}) {
      const std::vector<asked::Broken> broken = asked::judge(all, ns, object);
      const asked::BrokenBefore before(broken);
      for (const asked::Broken& each : broken) {
        require_sentence(each.sentence);
        require(before.includes(each), "not as it was before: " + each.sentence);
      }
    }
}

std::string printed(const server::policy::PolicyOptions& options) {
  const Ended said = run_command({}, [&](const server::text::Console& console) {
    return server::policy::run_policy(options, console);
  });
  require(said.code == 0 && said.err.empty(), "no policies of rules that were taken: " + said.err);
  require_plain(said.out);
  return said.out;
}

// For whoever applies them: YAML and JSON of the same objects.
void require_policies(asked::Rules all) {
  server::policy::PolicyOptions options;
  options.rules = std::move(all);
  const auto documents = server::text::parse_yaml(printed(options));
  require(documents.has_value(), "the policies are no YAML");
  options.output = server::policy::PolicyOutput::json;
  const Json list = Json::parse(printed(options), nullptr, false);
  require(!list.is_discarded(), "the policies are no JSON");
  require(std::ranges::equal(*documents, list["items"]), "the YAML says something else");
}

}  // namespace

void rules(std::string_view bytes) {
  const std::string text(bytes);
  const asked::RulesFile file = asked::parse_rules(text, "f");
  for (const std::string& each : file.problems) require_plain(each);
  if (file.problems.empty()) {
    require(!file.rules.list.empty(), "no rule was taken, and nothing is wrong");
    require_judged(file.rules);
    require_policies(file.rules);
  }
  require_linear_time(bytes, "\n",
                      [](std::string_view input) { asked::parse_rules(std::string(input), "f"); });
}

}  // namespace tpuwh::fuzz
