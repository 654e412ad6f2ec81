#include "server/cli/rules_flags.hpp"

#include "server/cli/choices.hpp"
#include "server/cli/setting_flags.hpp"
#include "server/kube/cluster/rbac.hpp"
#include "server/rules/entries.hpp"
#include "server/text/json_line.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tpuwh::server::cli {

namespace {

constexpr auto rules_example = R"(
--entries prints the entries by the modes and workload APIs that --config sets: a Pod that concerns the
webhook reaches exactly one. The chart installs them, each with failurePolicy and timeoutSeconds by its
mode, and keeps those that no Pod reaches; --output json prints these, too.

`kubectl tpu rules --diff OLD.json` compares with the JSON of another release, for a review before an
upgrade. Exit code: 0 nothing was added, 1 something was added, 2 OLD.json is unusable.

Examples:
  tpu-webhook rules
  tpu-webhook rules --output json | jq -r '.writes[].path'
  tpu-webhook rules --rbac
  tpu-webhook rules --rbac --config config.yaml
  tpu-webhook rules --entries
  tpu-webhook rules --entries --output json | jq -r '.entries[].name'
  old/tpu-webhook rules --output json > old.json && new/kubectl-tpu rules --diff old.json)";

}  // namespace

void add_rules(CLI::App& program, Command& chosen, RulesDiffer* differ) {
  auto options = std::make_shared<rules::RulesOptions>();
  auto* command = program.add_subcommand(
      "rules", "Print the paths of a Pod that may be written, and the fields that are read");
  add_choice<rules::RulesOutput>(*command, "--output,-o", options->output,
                                 {{"text", rules::RulesOutput::text},
                                  {"markdown", rules::RulesOutput::markdown},
                                  {"json", rules::RulesOutput::json}},
                                 "Output format");
  auto older = std::make_shared<std::string>();
  if (differ != nullptr)
    command
        ->add_option("--diff", *older,
                     "Print only the differences from this file, the JSON of another release")
        ->type_name("OLD.json");
  auto rbac = std::make_shared<bool>(false);
  command->add_flag("--rbac", *rbac,
                    "Print the RBAC rules that `serve` needs by --config, else by the chart's "
                    "defaults, as YAML of its ClusterRole and Role");
  auto entries = std::make_shared<bool>(false);
  command->add_flag("--entries", *entries,
                    "Print the entries of the MutatingWebhookConfiguration, with the labels and "
                    "conditions by which "
                    "they share the Pods; --output json: also the parts of the conditions");
  auto layers = add_setting_flags(*command, settings::Scope::names);
  command->footer(rules_example);
  command->callback([options, older, rbac, entries, layers, differ, &chosen] {
    const settings::ServeOptions serve = layers->resolve().options;
    const webhook::config::Config& config = serve.webhook;
    options->prefix = config.prefix;
    kube::cluster::RbacNeeds needs;
    if (!layers->file.empty())
      needs = {settings::uses_cluster(serve.ledger), config.claims, serve.tls_secret};
    chosen.run = [options, older, rbac, entries, config, needs,
                  differ](const text::Console& console) {
      if (*entries) {
        const bool json = options->output == rules::RulesOutput::json;
        console.out << (json ? text::json_line(rules::entries_json(config), true)
                             : text::printed_lines(rules::entries_yaml(config)));
        return 0;
      }
      if (*rbac) {
        console.out << text::printed_lines(kube::cluster::rbac_yaml(needs));
        return 0;
      }
      return older->empty() ? rules::run_rules(*options, console)
                            : differ(*options, *older, console);
    };
  });
}

}  // namespace tpuwh::server::cli
