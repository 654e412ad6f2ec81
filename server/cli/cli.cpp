#include "server/cli/cli.hpp"

#include "server/cli/catalog_flags.hpp"
#include "server/cli/doctor_flags.hpp"
#include "server/cli/findings_flags.hpp"
#include "server/cli/ledger_flags.hpp"
#include "server/cli/offline_flags.hpp"
#include "server/cli/setting_flags.hpp"
#include "server/cli/slices_flags.hpp"
#include "server/serve/app.hpp"
#include "server/text/version.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tpuwh::server::cli {
namespace {

constexpr auto program_example = R"(
Examples:
  tpu-webhook serve --tls-cert /certs/tls.crt --tls-key /certs/tls.key
  tpu-webhook review pod.yaml --output text
  tpu-webhook config check config.yaml
  tpu-webhook catalog v6e 4x4
  tpu-webhook audit
  tpu-webhook ledger list
  tpu-webhook doctor
  tpu-webhook review --help)";

constexpr auto serve_example = R"(
Without --tls-cert the server issues its own certificate and prints its CA, which callers
must trust. The configuration file (tpu-webhook config --help) can set all of this; it is
read once, at startup.

Examples:
  tpu-webhook serve --tls-cert /certs/tls.crt --tls-key /certs/tls.key --health-listen :8081
  tpu-webhook serve --config config.yaml --log-level debug
  tpu-webhook serve --listen 127.0.0.1:0 --ca-bundle-out /tmp/ca.crt)";

// One function per subcommand: its flags, and what it runs.
void add_serve(CLI::App& program, Command& chosen) {
  auto* command = program.add_subcommand("serve", "Answer admission reviews over HTTPS");
  auto layers = add_setting_flags(*command, settings::Scope::serve);
  command->footer(serve_example);
  command->callback([layers, &chosen] {
    chosen.run = [options = layers->resolve().options](const text::Console& console) {
      return serve::run_serve(options, console);
    };
  });
}

// A subcommand that is missing, with those there are; else CLI11's own sentence.
std::string missing(const CLI::App& program, int argc, const char* const* argv,
                    const CLI::RequiredError& error) {
  const CLI::App* within = &program;
  std::string path = "tpu-webhook";
  int next = 1;
  for (auto chosen = program.get_subcommands(); !chosen.empty();
       chosen = within->get_subcommands(), ++next) {
    within = chosen.front();
    path += " " + within->get_name();
  }
  std::vector<std::string> names;
  for (const CLI::App* each : within->get_subcommands({})) names.push_back(each->get_name());
  if (names.empty()) return error.what();
  const std::string found = argc > next ? fmt::format(", not \"{}\"", argv[next]) : "";
  return fmt::format("want a subcommand, one of {}{}; see {} --help", fmt::join(names, ", "), found,
                     path);
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  Command chosen;
  CLI::App program("Admission webhook for TPU workloads on Kubernetes", "tpu-webhook");
  program.set_version_flag("--version", fmt::format("tpu-webhook {}", text::version));
  program.require_subcommand(1);
  program.footer(program_example);
  add_serve(program, chosen);
  add_review(program, chosen);
  add_rules(program, chosen);
  add_findings(program, chosen);
  add_config(program, chosen);
  add_catalog(program, chosen);
  add_slices(program, chosen);
  add_audit(program, chosen);
  add_ledger(program, chosen);
  add_doctor(program, chosen);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    chosen.text = program.help();  // of the subcommand, if there is one
  } catch (const CLI::CallForVersion& request) {
    chosen.text = std::string(request.what()) + "\n";
  } catch (const CLI::RequiredError& error) {
    throw settings::UsageError(missing(program, argc, argv, error));
  } catch (const CLI::ParseError& error) {
    throw settings::UsageError(error.what());
  }
  return chosen;
}

}  // namespace tpuwh::server::cli
