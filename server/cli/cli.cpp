#include "server/cli/cli.hpp"

#include "server/cli/catalog_flags.hpp"
#include "server/cli/completion.hpp"
#include "server/cli/doctor_flags.hpp"
#include "server/cli/explain_flags.hpp"
#include "server/cli/findings_flags.hpp"
#include "server/cli/help_flags.hpp"
#include "server/cli/ledger_flags.hpp"
#include "server/cli/offline_flags.hpp"
#include "server/cli/setting_flags.hpp"
#include "server/cli/slices_flags.hpp"
#include "server/cli/wrong_usage.hpp"
#include "server/serve/app/app.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::cli {
namespace {

constexpr auto program_example = R"(
Examples:
  tpu-webhook serve --tls-cert /certs/tls.crt --tls-key /certs/tls.key
  tpu-webhook explain train.yaml
  tpu-webhook review pod.yaml
  tpu-webhook config check config.yaml
  tpu-webhook catalog v6e 4x4
  tpu-webhook audit
  tpu-webhook ledger list
  tpu-webhook doctor
  tpu-webhook help review)";

constexpr auto serve_example = R"(
Without --tls-cert the server issues its own certificate and prints its CA, which callers
must trust. The configuration file (tpu-webhook config --help) can set all of this; it is
read once, at startup.
Exit code: 0 ended by SIGTERM or SIGINT, 1 it could not start or go on, 2 a setting is wrong or
the certificate's files cannot be used.

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
    chosen.run = [options = layers->resolve().options](const text::Console&) {
      return app::run_serve(options);
    };
  });
}

// "kubectl tpu" where kubectl runs it as its plugin: by a link of this name.
std::string called_as(std::string_view file) {
  return file.ends_with("kubectl-tpu") ? "kubectl tpu" : "tpu-webhook";
}

void add_commands(CLI::App& program, Command& chosen) {
  add_serve(program, chosen);
  add_explain(program, chosen);
  add_review(program, chosen);
  add_rules(program, chosen);
  add_findings(program, chosen);
  add_config(program, chosen);
  add_catalog(program, chosen);
  add_slices(program, chosen);
  add_audit(program, chosen);
  add_ledger(program, chosen);
  add_doctor(program, chosen);
  add_completion(program, chosen);
  add_help(program, chosen);
  add_version(program, chosen);
}

// CLI11 writes what a negated flag sets behind its name: "--no-placement{false}".
class Names final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    constexpr std::string_view said = "{false}";
    std::string name = CLI::Formatter::make_option_name(option, positional);
    if (const auto at = name.find(said); at != name.npos) name.erase(at, said.size());
    return name;
  }
};

// One word for each idea in --help: commands have arguments, whose names say what they are.
void set_words(CLI::App& app) {
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Positionals", "Arguments");
  for (CLI::Option* option :
       app.get_options([](CLI::Option* each) { return each->get_positional(); }))
    if (option->get_type_name() == "TEXT") option->type_name("");
  for (CLI::App* each : app.get_subcommands([](CLI::App*) { return true; })) {
    each->group("Commands");
    set_words(*each);
  }
}

// The words of the command that was chosen, as deep as it was.
std::vector<std::string> chosen_path(const CLI::App& program) {
  std::vector<std::string> path;
  for (auto next = program.get_subcommands(); !next.empty(); next = next.front()->get_subcommands())
    path.push_back(next.front()->get_name());
  return path;
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  Command chosen;
  const std::string_view file = argc > 0 ? argv[0] : "";
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  CLI::App program("Admission webhook for TPU workloads on Kubernetes", called_as(file));
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  program.formatter(std::make_shared<Names>());  // of the commands, too
  program.footer(program_example);
  add_commands(program, chosen);
  set_words(program);
  // Asked by a shell, by way of a script of ours or of kubectl's.
  const bool of_kubectl = file.ends_with("kubectl_complete-tpu");
  if (of_kubectl || (!arguments.empty() && arguments.front() == "__complete")) {
    const std::span<const std::string> words(arguments);
    chosen.text = completion_lines(complete(program, words.subspan(of_kubectl ? 0 : 1)));
    return chosen;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    chosen.text = help_text(program, chosen_path(program));
  } catch (const CLI::CallForVersion&) {
    chosen.text = version_text();
  } catch (const CLI::ParseError& error) {
    throw settings::UsageError(wrong_usage(program, arguments, error));
  }
  return chosen;
}

}  // namespace tpuwh::server::cli
