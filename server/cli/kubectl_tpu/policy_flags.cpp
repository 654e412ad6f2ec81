#include "server/cli/kubectl_tpu/policy_flags.hpp"

#include "server/cli/choices.hpp"
#include "server/cli/setting_flags.hpp"
#include "server/tools/policy/command.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto policy_example = R"(
Prints a ValidatingAdmissionPolicy and its binding for each kind of object that makes TPU Pods: the
API server itself refuses slices that could never start, also while no replica of the webhook runs.
--config is the configuration of the webhook: what it denies is refused, what it warns of is a warning,
and what it leaves alone has no policy.
A policy sees one object and no cluster, and says nothing where it cannot be sure; it never looks at
Pods. An update is refused only for what it makes wrong. docs/governance.md has what each one says.

To try them on a cluster before they refuse anybody: --at-most warn.

Examples:
  kubectl tpu policy | kubectl apply -f -
  kubectl tpu policy --at-most warn | kubectl apply -f -
  kubectl tpu policy --config webhook.yaml --output json | jq -r '.items[].metadata.name'
  kubectl tpu policy | kubectl delete -f -)";

}  // namespace

void add_policy(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<policy::PolicyOptions>();
  auto* command = program.add_subcommand(
      "policy", "Print admission policies that hold without a server: sizes of slices");
  add_choice<policy::PolicyOutput>(
      *command, "--output,-o", options->output,
      {{"yaml", policy::PolicyOutput::yaml}, {"json", policy::PolicyOutput::json}},
      "Output format");
  add_choice<policy::Action>(*command, "--at-most", options->most,
                             {{"deny", policy::Action::deny},
                              {"warn", policy::Action::warn},
                              {"audit", policy::Action::audit}},
                             "What follows at most of an object that breaks a rule; audit: only an "
                             "annotation in the audit log");
  auto layers = add_setting_flags(*command, settings::Scope::names);
  command->footer(policy_example);
  command->callback([options, layers, &chosen] {
    options->config = layers->resolve().options.webhook;
    chosen.run = [options](const text::Console& console) {
      return policy::run_policy(*options, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
