#include "kubectl/cli/findings_flags.hpp"

#include "kubectl/cli/choices.hpp"
#include "kubectl/reference/ids/command.hpp"

#include <memory>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto findings_example = R"(
Every denial and warning begins with an id. This prints its meaning, cause and fix;
docs/messages.md has an example of each. The configuration file can change the level of a
finding, for all namespaces or in perNamespace: findings: {TPU-405: deny}.

Examples:
  kubectl tpu findings
  kubectl tpu findings TPU-405
  kubectl tpu findings --output json)";

}  // namespace

void add_findings(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<ids::FindingsOptions>();
  auto* command =
      program.add_subcommand("findings", "Explain the ids of messages: cause, fix, level");
  command->add_option("ID", options->id, "TPU-405, 405 or job-too-few; default: all");
  add_choice<ids::FindingsOutput>(
      *command, "--output,-o", options->output,
      {{"text", ids::FindingsOutput::text}, {"json", ids::FindingsOutput::json}}, "Output format");
  command->footer(findings_example);
  command->callback([options, &chosen] {
    chosen.run = [options](const text::Console& console) {
      return ids::run_findings(*options, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
