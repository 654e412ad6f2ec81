#include "kubectl/cli/policy_flags.hpp"

#include "kubectl/cli/choices.hpp"
#include "kubectl/cli/config_flags.hpp"
#include "kubectl/cli/input_flags.hpp"
#include "kubectl/cli/team_rules_flag.hpp"
#include "kubectl/policy/command.hpp"
#include "kubectl/policy/trial.hpp"
#include "server/settings/usage_error.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto policy_example = R"(
Prints a ValidatingAdmissionPolicy and its binding for each kind of object that makes TPU Pods: the
API server itself refuses slices that could never start, also while no replica of the webhook runs.
--config is the configuration of the webhook: what it denies is refused, what it warns of is a warning,
and what it leaves alone has no policy.
A policy sees one object and no cluster, and says nothing where it cannot be sure; it never looks at
Pods. An update is refused only for what it makes wrong. docs/governance.md has what each one says.

With --team-rules FILE it prints policies of the cluster's rules, too: who may ask for TPUs, and for how many,
and what the Pods of whoever does must be like. `kubectl tpu explain --team-rules FILE` says the same of a
manifest.

To try them on a cluster before they refuse anybody: --at-most warn.

--quota prints who may hold how many chips instead: for each namespace a ResourceQuota, which the API
server holds every Pod to, and Kueue's ClusterQueue and LocalQueue (called tpu), which start a workload
as a whole or not at all. docs/governance.md has what each of them counts.

Examples:
  kubectl tpu policy | kubectl apply -f -
  kubectl tpu policy --at-most warn | kubectl apply -f -
  kubectl tpu policy --team-rules rules.yaml | kubectl apply -f -
  kubectl tpu policy --config webhook.yaml --output json | jq -r '.items[].metadata.name'
  kubectl tpu policy | kubectl delete -f -
  kubectl tpu policy --quota ml=64 --quota-of kubernetes | kubectl apply -f -
  kubectl tpu policy --quota ml=64,tpu-v6e-slice --quota ml=32,tpu-v5p-slice --quota-of kueue)";

void add_quota_flags(CLI::App& command, policy::PolicyOptions& options) {
  const auto add = [&options](const std::string& text) {
    auto share = policy::parse_share(text);
    if (!share) throw CLI::ValidationError("--quota", share.error().text());
    options.shares.push_back(*std::move(share));
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--quota",
          [add](const std::vector<std::string>& texts) {
            for (const std::string& each : texts) add(each);
          },
          "Print quotas instead: the chips that a namespace may hold, of any or of one "
          "accelerator; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAMESPACE=CHIPS[,ACCELERATOR]");
  add_choice<policy::QuotaOf>(command, "--quota-of", options.quota_of,
                              {{"both", policy::QuotaOf::both},
                               {"kubernetes", policy::QuotaOf::kubernetes},
                               {"kueue", policy::QuotaOf::kueue}},
                              "Whose objects --quota prints: a ResourceQuota, Kueue's queues and "
                              "flavors, or both");
}

void check_quotas(const CLI::App& command, const policy::PolicyOptions& options) {
  if (options.shares.empty() && command.count("--quota-of") > 0)
    throw settings::UsageError("--quota-of: expected --quota as well");
  if (!options.shares.empty() && command.count("--at-most") > 0)
    throw settings::UsageError("--at-most: expected policies; --quota prints none");
  if (const auto what = policy::contradiction(options.shares); !what.empty())
    throw settings::UsageError("--quota: " + what);
}

constexpr auto test_example = R"(
Judges objects by the rules, as the policies of `kubectl tpu policy --team-rules` would: those of files, of
folders, or a List such as kubectl prints, so also a whole cluster. Nothing is asked of a cluster.
With --expect the outcome of each object that it names is compared, and nothing else counts:

  - object: team-dev/Job/train     # or Job/train
    outcome: refused               # allowed, warned, refused
    ids: [TPU-654]                 # exactly these; may be left out

Exit code: 0 nothing would be refused, or all is as expected; 1 otherwise; 2 a file cannot be read, or
something in it cannot be judged.

Examples:
  kubectl tpu policy test --team-rules rules.yaml -f manifests/
  kubectl tpu policy test --team-rules rules.yaml -f manifests/ --expect expected.yaml
  kubectl get jobs,cronjobs,statefulsets,deployments -A -o json |
    kubectl tpu policy test --team-rules rules.yaml     # jobsets and others where they are installed)";

void add_policy_test(CLI::App& policy, Command& chosen) {
  auto options = std::make_shared<policy::TrialOptions>();
  auto* command = policy.add_subcommand("test", "Say what rules would refuse, before they do");
  const auto flagged =
      add_input_flags(*command, options->files, options->ns,
                      "Objects to judge: files, folders, or - for standard input (the default)");
  command->add_option("--expect", options->expected, "What is expected of them")->type_name("FILE");
  add_choice<policy::TrialOutput>(
      *command, "--output,-o", options->output,
      {{"text", policy::TrialOutput::text}, {"json", policy::TrialOutput::json}}, "Output format");
  auto team_rules = std::make_shared<std::string>();
  add_team_rules(*command, *team_rules);
  auto layers = add_settings(*command, settings::Scope::names);
  command->footer(test_example);
  command->callback([options, flagged, team_rules, layers, &chosen] {
    join_files(flagged, options->files);
    options->prefix = layers->resolve().options.webhook.prefix;
    options->rules = read_team_rules(*team_rules);
    chosen.run = [options](const text::Console& console) {
      return policy::run_policy_test(*options, console);
    };
  });
}

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
  add_quota_flags(*command, *options);
  auto team_rules = std::make_shared<std::string>();
  add_team_rules(*command, *team_rules);
  auto layers = add_settings(*command, settings::Scope::names);
  command->footer(policy_example);
  add_policy_test(*command, chosen);
  command->callback([command, options, team_rules, layers, &chosen] {
    if (!command->get_subcommands().empty()) return;
    check_quotas(*command, *options);
    options->config = layers->resolve().options.webhook;
    options->rules = read_team_rules(*team_rules);
    chosen.run = [options](const text::Console& console) {
      return policy::run_policy(*options, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
