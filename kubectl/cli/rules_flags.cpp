#include "kubectl/cli/rules_flags.hpp"

#include "kubectl/cli/choices.hpp"
#include "kubectl/cli/config_flags.hpp"
#include "kubectl/reference/rules/command.hpp"
#include "kubectl/reference/rules_diff/command.hpp"
#include "server/rules/rules.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto rules_example = R"(
--entries prints the webhook entries for the modes and workload APIs that --config sets. A Pod that
concerns the webhook matches exactly one of them. The chart installs each with the failurePolicy and
timeoutSeconds of its mode, and also entries that match no Pod; --output json prints those, too.

--diff OLD.json compares with the JSON of another release, for a review before an
upgrade. Exit code: 0 nothing was added, 1 something was added, 2 OLD.json is unusable.

Examples:
  kubectl tpu rules
  kubectl tpu rules --output json | jq -r '.writes[].path'
  kubectl tpu rules --rbac
  kubectl tpu rules --rbac --config config.yaml
  kubectl tpu rules --entries
  kubectl tpu rules --entries --output json | jq -r '.entries[].name'
  old/tpu-webhook rules --output json > old.json && kubectl tpu rules --diff old.json)";

}  // namespace

void add_rules(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<rules::RulesOptions>();
  auto* command = program.add_subcommand(
      "rules", "Print the paths of a Pod that may be written, and the fields that are read");
  add_choice<rules::RulesOutput>(
      *command, "--output,-o", options->output,
      {{"text", rules::RulesOutput::text},
       {"markdown", rules::RulesOutput::markdown},
       {"json", rules::RulesOutput::json}},
      "Output format; json also lists the RBAC rules that `tpu-webhook serve` needs");
  auto older = std::make_shared<std::string>();
  command
      ->add_option("--diff", *older,
                   "Print only the differences from this file, the JSON of another release")
      ->type_name("OLD.json");
  command->add_flag("--rbac", options->rbac,
                    "Print the RBAC rules that `serve` needs by --config, else by the chart's "
                    "defaults, as YAML of its ClusterRole and Role");
  command->add_flag("--entries", options->entries,
                    "Print the entries of the MutatingWebhookConfiguration, with the labels and "
                    "conditions by which "
                    "they share the Pods; --output json: also the parts of the conditions");
  const auto layers = add_settings(*command, settings::Scope::names);
  command->footer(rules_example);
  command->callback([options, layers, older, &chosen] {
    const settings::ServeOptions resolved = layers->resolve().options;
    options->config = resolved.webhook;
    options->needs = rules::needs_of(*layers, resolved);
    chosen.run = [options, older](const text::Console& console) {
      return older->empty() ? rules::run_rules(*options, console)
                            : rules_diff::run_rules_diff(*options, *older, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
