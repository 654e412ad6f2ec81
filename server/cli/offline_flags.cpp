#include "server/cli/offline_flags.hpp"

#include "server/cli/choices.hpp"
#include "server/cli/setting_flags.hpp"
#include "server/kube/cluster/rbac.hpp"
#include "server/rules/command.hpp"
#include "server/rules/entries.hpp"
#include "server/settings/command.hpp"
#include "server/text/json_line.hpp"
#include "server/text/json_text.hpp"
#include "server/tools/review/command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tpuwh::server::cli {

namespace {

constexpr auto review_example = R"(
FILE holds an AdmissionReview, a Pod, a List, several of them behind one another, or YAML of
them; of a folder its .yaml, .yml and .json files are read, by path, and those of its folders. All of them are Pods of one cluster,
created in this order. A RayCluster, RayJob, RayService, JobSet, Job or LeaderWorkerSet is
checked for slices that could never start.
Exit code: 0 all allowed, 1 any denied (with --strict also: warned of), 2 any unusable, or a
file that cannot be read, is empty or holds no objects.

Examples:
  tpu-webhook review pod.yaml
  tpu-webhook review -n ml -f manifests/ -f job.yaml
  kubectl get pods -l job-name=train -o json | tpu-webhook review
  tpu-webhook review pod.yaml --output diff
  tpu-webhook review jobset.yaml --output json | jq -r .verdict
  tpu-webhook review < recorded.json
  for kind in pods nodes services rayclusters resourceclaimtemplates; do
    kubectl get $kind -A -o json; done > cluster.json    # of a kind that is not there nothing
  tpu-webhook review worker.yaml --cluster cluster.json)";

constexpr auto config_example = R"(
The file is YAML or JSON; `config schema` prints all of its keys:

  mode: shadow              # as --mode
  perWorkload:              # for one workload API
    jobset: {mode: enforce}
    ray: {placement: false}
  perNamespace:
    team-a: {placement: false}
  drain: {delay: 10s}       # as --drain-delay

A flag overrides the file, the file overrides the default. `serve` reads it once, at startup.
Environment variables are not read: in a Pod, use args such as --log-level=$(LEVEL).

Examples:
  tpu-webhook config check config.yaml
  tpu-webhook config print --config config.yaml --mode enforce
  tpu-webhook config schema > tpu-webhook.schema.json)";

constexpr auto check_example = R"(
Exit code: 0 the file is valid; 2 it is not, with a line for each problem on standard error:
FILE:LINE: KEY: what was found and what is expected.

Examples:
  tpu-webhook config check config.yaml
  kubectl -n tpu-webhook-system get secret tpu-webhook-config -o 'jsonpath={.data.config\.yaml}' |
    base64 -d | tpu-webhook config check -)";

constexpr auto print_example = R"(
Takes the flags of serve. The YAML is itself a configuration file; a comment on each line says
where the value comes from: "default", FILE:LINE or a flag.

Examples:
  tpu-webhook config print
  tpu-webhook config print --config config.yaml --log-level debug
  tpu-webhook config print --config config.yaml --output json | jq .from)";

constexpr auto schema_example = R"(
JSON schema, draft 7. For an editor, the first line of a configuration file:
  # yaml-language-server: $schema=tpu-webhook.schema.json

Examples:
  tpu-webhook config schema > tpu-webhook.schema.json)";

constexpr auto rules_example = R"(
--entries prints one entry for each workload API: a Pod that concerns the webhook reaches exactly
one. They are what the chart installs, each with failurePolicy and timeoutSeconds by its mode.

--diff compares with the JSON of another release, for a review before an upgrade.
Exit code: 0 nothing was added, 1 something was added, 2 OLD.json is unusable.

Examples:
  tpu-webhook rules
  tpu-webhook rules --output json | jq -r '.writes[].path'
  tpu-webhook rules --rbac
  tpu-webhook rules --entries
  tpu-webhook rules --entries --output json | jq -r '.entries[].name'
  old/tpu-webhook rules --output json > old.json && new/tpu-webhook rules --diff old.json)";

void add_check(CLI::App& config, Command& chosen) {
  auto options = std::make_shared<settings::ConfigCheckOptions>();
  auto* command = config.add_subcommand("check", "Print everything that is wrong with a file");
  command->add_option("FILE", options->file, "The file; - is standard input")->required();
  command->footer(check_example);
  command->callback([options, &chosen] {
    chosen.run = [options](const text::Console& console) {
      return settings::run_config_check(*options, console);
    };
  });
}

void add_print(CLI::App& config, Command& chosen) {
  auto options = std::make_shared<settings::ConfigPrintOptions>();
  auto* command = config.add_subcommand(
      "print", "Print the effective configuration and where each value comes from");
  add_choice<settings::ConfigOutput>(
      *command, "--output,-o", options->output,
      {{"yaml", settings::ConfigOutput::yaml}, {"json", settings::ConfigOutput::json}},
      "Output format");
  auto layers = add_setting_flags(*command, settings::Scope::serve);
  command->footer(print_example);
  command->callback([options, layers, &chosen] {
    options->effective = layers->resolve();
    chosen.run = [options](const text::Console& console) {
      return settings::run_config_print(*options, console);
    };
  });
}

void add_schema(CLI::App& config, Command& chosen) {
  auto* command = config.add_subcommand("schema", "Print the JSON schema of the file");
  command->footer(schema_example);
  command->callback([&chosen] { chosen.run = settings::run_config_schema; });
}

}  // namespace

namespace {

bool names_input(const std::vector<std::string>& files) {
  return std::ranges::find(files, "-") != files.end();
}

}  // namespace

void add_review(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<review::ReviewOptions>();
  auto* command = program.add_subcommand("review", "Answer reviews offline, as the server would");
  auto flagged = std::make_shared<std::vector<std::string>>();
  command->add_option("FILE", options->files,
                      "What to review: files, folders, or - for standard input (the default)");
  command->add_option("--filename,-f", *flagged, "The same as FILE, as kubectl has it")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command->add_option("--namespace,-n", options->ns, "Namespace of objects that name none")
      ->type_name("NS")
      ->capture_default_str();
  add_choice<review::ReviewOutput>(
      *command, "--output,-o", options->output,
      {{"text", review::ReviewOutput::text},
       {"json", review::ReviewOutput::json},
       {"diff", review::ReviewOutput::diff},
       {"review", review::ReviewOutput::review},
       {"patch", review::ReviewOutput::patch},
       {"object", review::ReviewOutput::object}},
      "text, diff: for people; json: verdict, reason, warnings and patch; review: the answer as "
      "the "
      "server sends it; patch: the JSON patch; object: the Pod after it (one JSON line each). "
      "Default: text, but review for recorded AdmissionReviews where the output is not a terminal");
  command
      ->add_option("--cluster", options->cluster,
                   "Existing objects of the cluster: Services, RayClusters, and Ray workers that "
                   "have their ids; a file or folder, may be repeated")
      ->allow_extra_args(false)
      ->type_name("SNAPSHOT.json");
  command->add_flag("--strict", options->strict, "Exit with 1 where there is a warning, too");
  auto layers = add_setting_flags(*command, settings::Scope::decision);
  command->footer(review_example);
  command->callback([options, flagged, layers, &chosen] {
    options->files.insert(options->files.end(), flagged->begin(), flagged->end());
    const bool reads_input = options->files.empty() || names_input(options->files);
    if (reads_input && names_input(options->cluster))
      throw settings::UsageError("--cluster: want a file, standard input is what to review");
    options->config = layers->resolve().options.webhook;
    chosen.run = [options](const text::Console& console) {
      return review::run_review(*options, console);
    };
  });
}

void add_rules(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<rules::RulesOptions>();
  auto* command =
      program.add_subcommand("rules", "Print what may be written into a Pod, and what is read");
  add_choice<rules::RulesOutput>(*command, "--output,-o", options->output,
                                 {{"text", rules::RulesOutput::text},
                                  {"markdown", rules::RulesOutput::markdown},
                                  {"json", rules::RulesOutput::json}},
                                 "Output format");
  command
      ->add_option("--diff", options->older,
                   "Print only the differences from this file, the JSON of another release")
      ->type_name("OLD.json");
  auto rbac = std::make_shared<bool>(false);
  command->add_flag("--rbac", *rbac,
                    "Print the RBAC rules that `serve` needs, as YAML of its ClusterRole and Role");
  auto entries = std::make_shared<bool>(false);
  command->add_flag("--entries", *entries,
                    "Print the entries of the MutatingWebhookConfiguration, one for each workload "
                    "API, with the conditions by which they share the Pods; --output json: also "
                    "what the conditions are put together from");
  auto layers = add_setting_flags(*command, settings::Scope::names);
  command->footer(rules_example);
  command->callback([options, rbac, entries, layers, &chosen] {
    options->prefix = layers->resolve().options.webhook.prefix;
    chosen.run = [options, rbac, entries](const text::Console& console) {
      if (*entries) {
        const bool json = options->output == rules::RulesOutput::json;
        console.out << (json ? text::json_line(rules::entries_json(options->prefix), true)
                             : text::printed_lines(rules::entries_yaml(options->prefix)));
        return 0;
      }
      if (*rbac) {
        console.out << text::printed_lines(kube::cluster::rbac_yaml());
        return 0;
      }
      return rules::run_rules(*options, console);
    };
  });
}

void add_config(CLI::App& program, Command& chosen) {
  auto* command = program.add_subcommand("config", "Check, print and describe configuration");
  command->require_subcommand(1);
  command->footer(config_example);
  add_check(*command, chosen);
  add_print(*command, chosen);
  add_schema(*command, chosen);
}

}  // namespace tpuwh::server::cli
