#include "server/cli/tpu_webhook/program.hpp"

#include "server/cli/setting_flags.hpp"
#include "server/cli/words.hpp"
#include "server/rules/rules.hpp"
#include "server/serve/app/app.hpp"
#include "server/settings/usage_error.hpp"
#include "server/text/json_text.hpp"
#include "server/text/version.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace tpuwh::server::cli::tpu_webhook {

namespace {

constexpr auto program_example = R"(
This program is the server. Commands for users, with or without a cluster, are in kubectl tpu.

Examples:
  tpu-webhook serve --config config.json
  tpu-webhook config check config.json
  tpu-webhook rules -o json
  tpu-webhook serve --help)";

constexpr auto serve_example = R"(
--tls-cert and --tls-key are required, as flags or in the configuration file. The file can also
set all other options (see kubectl tpu config --help), and is read once, at startup.
Exit code: 0 ended by SIGTERM or SIGINT, 1 it could not start or continue, 2 a setting is wrong
or the certificate's files cannot be used.

Examples:
  tpu-webhook serve --tls-cert /certs/tls.crt --tls-key /certs/tls.key --health-listen :8081
  tpu-webhook serve --config config.json --log-level debug
  tpu-webhook serve --tls-cert tls.crt --tls-key tls.key --listen 127.0.0.1:0)";

constexpr auto rules_example = R"(
The RBAC rules are those that `serve` needs with the file of --config, otherwise with the chart's
defaults. `kubectl tpu rules` can also print text, markdown, RBAC rules as YAML, and the
differences between two releases.

Examples:
  tpu-webhook rules -o json | jq -r '.writes[].path')";

constexpr auto check_example = R"(
Exit code: 0 the file is valid; 2 it is not, with a line for each problem on standard error:
FILE: KEY: the value expected and the value found. `kubectl tpu config check` also reads YAML.

Examples:
  tpu-webhook config check config.json)";

std::string version_text() {
  return fmt::format("tpu-webhook {}\n", text::version);
}

void add_serve(CLI::App& program, Command& chosen) {
  auto* command = program.add_subcommand("serve", "Answer admission reviews over HTTPS");
  auto layers = add_setting_flags(*command, settings::Scope::serve);
  command->footer(serve_example);
  command->callback([layers, &chosen] {
    chosen.run = [options = layers->resolve().options] { return app::run_serve(options); };
  });
}

void add_rules(CLI::App& program, Command& chosen) {
  auto* command = program.add_subcommand("rules",
                                         "Print what the webhook may write into a Pod, what it "
                                         "reads, and the RBAC rules it needs, as JSON");
  command->add_option("--output,-o", "Output format")
      ->default_str("json")
      ->check(CLI::IsMember({"json"}));
  auto layers = add_setting_flags(*command, settings::Scope::names);
  command->footer(rules_example);
  command->callback([layers, &chosen] {
    const settings::ServeOptions resolved = layers->resolve().options;
    const Json json =
        rules::rules_json(resolved.webhook.prefix, rules::needs_of(*layers, resolved));
    chosen.text = text::dump_or_throw(json, 2) + "\n";
  });
}

int check(const std::string& file) {
  const settings::ConfigFile read = settings::check_config(file, std::cin);
  for (const settings::Problem& problem : read.problems) std::cerr << problem.text() << '\n';
  if (!read.problems.empty()) return 2;
  std::cout << "valid; " << read.given.size() << " set\n";
  return 0;
}

void add_config(CLI::App& program, Command& chosen) {
  auto* config = program.add_subcommand("config", "Check a configuration file");
  config->require_subcommand(1);
  auto file = std::make_shared<std::string>();
  auto* command = config->add_subcommand("check", "Print every problem of a configuration file");
  command->add_option("FILE", *file, "Configuration file to check; - means standard input")
      ->required();
  command->footer(check_example);
  command->callback([file, &chosen] { chosen.run = [file] { return check(*file); }; });
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  Command chosen;
  CLI::App app("Admission webhook for TPU workloads on Kubernetes", "tpu-webhook");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  add_serve(app, chosen);
  add_rules(app, chosen);
  add_config(app, chosen);
  app.add_subcommand("version", "Print the version")->callback([&] {
    chosen.text = version_text();
  });
  app.footer(program_example);  // set last: subcommands added later would inherit the footer
  set_words(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    chosen.text = without_flag_values(app.help());
  } catch (const CLI::CallForVersion&) {
    chosen.text = version_text();
  } catch (const CLI::ParseError& error) {
    const auto left = app.remaining(true);
    std::string wrong = error.what();
    if (!left.empty() && left.front().starts_with('-'))
      wrong = "unknown option " + left.front();
    else if (!left.empty() && dynamic_cast<const CLI::RequiredError*>(&error))
      wrong =
          fmt::format("\"{}\" is not a command of tpu-webhook; other commands are in kubectl tpu",
                      left.front());
    throw settings::UsageError(wrong + "; see tpu-webhook --help");
  }
  return chosen;
}

}  // namespace tpuwh::server::cli::tpu_webhook
