#include "kubectl/cli/config_flags.hpp"

#include "kubectl/cli/choices.hpp"
#include "kubectl/settings/command.hpp"
#include "kubectl/settings/read.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto config_example = R"(
The file is YAML or JSON here, and JSON for tpu-webhook; `config schema` prints all of its keys:

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
  kubectl tpu config check config.yaml
  kubectl tpu config print --config config.yaml --mode enforce
  kubectl tpu config print --config config.yaml --output json > config.json
  kubectl tpu config schema > tpu-webhook.schema.json)";

constexpr auto check_example = R"(
Exit code: 0 the file is valid; 2 it is not, with a line for each problem on standard error:
FILE:LINE: KEY: the value expected and the value found.

Examples:
  kubectl tpu config check config.yaml
  kubectl -n tpu-webhook-system get secret tpu-webhook-config -o 'jsonpath={.data.config\.json}' |
    base64 -d | kubectl tpu config check -)";

constexpr auto print_example = R"(
Takes the flags of serve, and prints a configuration file. JSON is what tpu-webhook reads. In YAML a
comment on each line says where the value comes from: "default", FILE:LINE or a flag.

Examples:
  kubectl tpu config print
  kubectl tpu config print --config config.yaml --log-level debug
  kubectl tpu config print --config config.yaml --output json)";

constexpr auto schema_example = R"(
JSON schema, draft 7. For an editor, the first line of a configuration file:
  # yaml-language-server: $schema=tpu-webhook.schema.json

Examples:
  kubectl tpu config schema > tpu-webhook.schema.json)";

void add_check(CLI::App& config, Command& chosen) {
  auto options = std::make_shared<settings::ConfigCheckOptions>();
  auto* command = config.add_subcommand("check", "Print every fault of a file");
  command->add_option("FILE", options->file, "Configuration file to check; - means standard input")
      ->required();
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
  auto layers = add_settings(*command, settings::Scope::serve);
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

std::shared_ptr<const settings::Layers> add_settings(CLI::App& command, settings::Scope scope) {
  return add_setting_flags(command, scope, settings::parse_yaml_config);
}

void add_config(CLI::App& program, Command& chosen) {
  auto* command = program.add_subcommand("config", "Check, print and describe configuration");
  command->require_subcommand(1);
  command->footer(config_example);
  add_check(*command, chosen);
  add_print(*command, chosen);
  add_schema(*command, chosen);
}

}  // namespace tpuwh::server::cli::kubectl_tpu
