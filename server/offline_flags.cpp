#include "server/offline_flags.hpp"

#include "server/flags.hpp"
#include "server/review_command.hpp"
#include "server/rules_command.hpp"
#include "server/webhook_flags.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tpuwh::server {

namespace {

constexpr auto review_example = R"(
FILE holds an AdmissionReview, a Pod, a List, JSON lines of either, or YAML of them;
"-" or nothing is standard input. All of them are Pods of one cluster, created in
this order. Exit code: 0 all allowed, 1 any denied, 2 any unusable.

Examples:
  tpu-webhook review recorded.json
  kubectl get pods -l job-name=train -o json | tpu-webhook review --output text
  tpu-webhook review pod.yaml --output diff
  kubectl get pods,nodes,services,rayclusters -A -o json > cluster.json
  tpu-webhook review worker.yaml --cluster cluster.json --output text)";

constexpr auto rules_example = R"(
Examples:
  tpu-webhook rules
  tpu-webhook rules --output json | jq -r '.writes[].path')";

}  // namespace

void add_review(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<ReviewOptions>();
  auto* command = program.add_subcommand("review", "Answer reviews as the server would, offline");
  command->add_option("FILE", options->file, "What to review")->capture_default_str();
  add_choice<ReviewOutput>(
      *command, "--output,-o", options->output,
      {{"review", ReviewOutput::review},
       {"patch", ReviewOutput::patch},
       {"object", ReviewOutput::object},
       {"text", ReviewOutput::text},
       {"diff", ReviewOutput::diff}},
      "review: the answer as the server sends it; patch: the JSON patch; object: the Pod after it "
      "(one JSON line each); text, diff: for people");
  command
      ->add_option("--cluster", options->cluster,
                   "What the cluster holds already: Services, RayClusters, and Ray workers that "
                   "have their ids")
      ->type_name("SNAPSHOT.json");
  add_webhook_flags(*command, options->config);
  command->footer(review_example);
  command->callback([options, &chosen] {
    chosen.run = [options](const Console& console) {
      options->colour = console.terminal;
      return run_review(*options, console.in, console.out, console.err);
    };
  });
}

void add_rules(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<RulesOptions>();
  auto* command =
      program.add_subcommand("rules", "Print what may be written into a Pod, and what is read");
  add_choice<RulesOutput>(*command, "--output,-o", options->output,
                          {{"text", RulesOutput::text},
                           {"markdown", RulesOutput::markdown},
                           {"json", RulesOutput::json}},
                          "Form of the table");
  add_prefix_flag(*command, options->prefix);
  command->footer(rules_example);
  command->callback([options, &chosen] {
    chosen.run = [options](const Console& console) { return run_rules(*options, console.out); };
  });
}

}  // namespace tpuwh::server
