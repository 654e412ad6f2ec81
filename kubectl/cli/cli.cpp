#include "kubectl/cli/cli.hpp"

#include "kubectl/cli/catalog_flags.hpp"
#include "kubectl/cli/certificate_flags.hpp"
#include "kubectl/cli/completion.hpp"
#include "kubectl/cli/config_flags.hpp"
#include "kubectl/cli/doctor_flags.hpp"
#include "kubectl/cli/explain_flags.hpp"
#include "kubectl/cli/findings_flags.hpp"
#include "kubectl/cli/help_flags.hpp"
#include "kubectl/cli/ledger_flags.hpp"
#include "kubectl/cli/policy_flags.hpp"
#include "kubectl/cli/review_flags.hpp"
#include "kubectl/cli/rules_flags.hpp"
#include "kubectl/cli/slices_flags.hpp"
#include "kubectl/cli/wrong_usage.hpp"
#include "server/cli/words.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {
namespace {

constexpr auto program_example = R"(
Examples:
  kubectl tpu explain -f train.yaml
  kubectl tpu review pod.yaml
  kubectl tpu catalog v6e 4x4
  kubectl tpu audit
  kubectl tpu ledger list
  kubectl tpu doctor
  kubectl tpu help review)";

void add_commands(CLI::App& program, Command& chosen) {
  add_explain(program, chosen);
  add_review(program, chosen);
  add_slices(program, chosen);
  add_audit(program, chosen);
  add_doctor(program, chosen);
  add_ledger(program, chosen);
  add_catalog(program, chosen);
  add_findings(program, chosen);
  add_policy(program, chosen);
  add_certificate(program, chosen);
  add_rules(program, chosen);
  add_config(program, chosen);
  add_completion(program, chosen);
}

// The words of the command that was chosen, as deep as it was.
std::vector<std::string> chosen_path(const CLI::App& program) {
  std::vector<std::string> path;
  for (auto next = program.get_subcommands(); !next.empty(); next = next.front()->get_subcommands())
    path.push_back(next.front()->get_name());
  return path;
}

}  // namespace

void describe(CLI::App& app, Command& chosen) {
  app.name("kubectl tpu");
  app.description(
      "Show how tpu-webhook changes the Pods of a manifest, and list the TPU slices of a cluster");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(std::string(program_example));
  add_commands(app, chosen);
  add_help(app, chosen);
  add_version(app, chosen);
  set_words(app);
}

Command parse_command_line(int argc, const char* const* argv) {
  Command chosen;
  const std::string_view file = argc > 0 ? argv[0] : "";
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  CLI::App app;
  describe(app, chosen);
  if (auto lines = completed(app, file, arguments)) {
    chosen.text = std::move(*lines);
    return chosen;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    chosen.text = help_text(app, chosen_path(app));
  } catch (const CLI::CallForVersion&) {
    chosen.text = version_text();
  } catch (const CLI::ParseError& error) {
    if (!arguments.empty() && arguments.front() == "serve")
      throw settings::UsageError(
          "serve is a command of the program tpu-webhook, not of kubectl tpu; run tpu-webhook "
          "serve");
    throw settings::UsageError(wrong_usage(app, arguments, error));
  }
  return chosen;
}

}  // namespace tpuwh::server::cli::kubectl_tpu
