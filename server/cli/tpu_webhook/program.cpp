#include "server/cli/tpu_webhook/program.hpp"

#include "server/cli/config_flags.hpp"
#include "server/cli/rules_flags.hpp"
#include "server/cli/setting_flags.hpp"
#include "server/serve/app/app.hpp"

#include <CLI/CLI.hpp>

namespace tpuwh::server::cli::tpu_webhook {

namespace {

constexpr auto program_example = R"(
Commands for people, offline or for a cluster, are in another program: kubectl tpu.

Examples:
  tpu-webhook serve --tls-cert /certs/tls.crt --tls-key /certs/tls.key
  tpu-webhook config check config.yaml
  tpu-webhook rules
  tpu-webhook help serve)";

constexpr auto serve_example = R"(
Without --tls-cert the server issues its own certificate and prints its CA, which callers
must trust. The configuration file (tpu-webhook config --help) can set all of this; it is
read once, at startup.
Exit code: 0 ended by SIGTERM or SIGINT, 1 it could not start or continue, 2 a setting is wrong
or the certificate's files cannot be used.

Examples:
  tpu-webhook serve --tls-cert /certs/tls.crt --tls-key /certs/tls.key --health-listen :8081
  tpu-webhook serve --config config.yaml --log-level debug
  tpu-webhook serve --listen 127.0.0.1:0 --ca-bundle-out /tmp/ca.crt)";

constexpr std::string_view of_people[] = {"explain", "review",  "slices",   "audit",  "doctor",
                                          "ledger",  "catalog", "findings", "policy", "completion"};

void add_serve(CLI::App& program, Command& chosen) {
  auto* command = program.add_subcommand("serve", "Answer admission reviews over HTTPS");
  auto layers = add_setting_flags(*command, settings::Scope::serve);
  command->footer(serve_example);
  command->callback([layers, &chosen] {
    chosen.run = [options = layers->resolve().options](const text::Console&) {
      return app::run_serve(options);
    };
  });
}

void add_commands(CLI::App& program, Command& chosen) {
  add_serve(program, chosen);
  add_rules(program, chosen);
  add_config(program, chosen);
}

}  // namespace

const Program& program() {
  static constexpr Program made{.file = "tpu-webhook",
                                .called = "tpu-webhook",
                                .what = "Admission webhook for TPU workloads on Kubernetes",
                                .examples = program_example,
                                .add_commands = add_commands,
                                .elsewhere = of_people,
                                .other = "kubectl tpu"};
  return made;
}

}  // namespace tpuwh::server::cli::tpu_webhook
