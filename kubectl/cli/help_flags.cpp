#include "kubectl/cli/help_flags.hpp"

#include "kubectl/cli/wrong_usage.hpp"
#include "server/cli/words.hpp"
#include "server/text/version.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto help_example = R"(
The same as --help after the command.

Examples:
  kubectl tpu help review
  kubectl tpu help config check)";

constexpr auto version_example = R"(
The same as --version.

Examples:
  kubectl tpu version)";

std::string joined(const CLI::App& program, std::span<const std::string> path) {
  std::string name = program.get_name();
  for (const std::string& word : path) name += " " + word;
  return name;
}

}  // namespace

void add_help(CLI::App& program, Command& chosen) {
  auto path = std::make_shared<std::vector<std::string>>();
  auto* command = program.add_subcommand("help", "Print the help of a command");
  command->add_option("COMMAND", *path, "Which one; default: all of them, in short");
  command->footer(help_example);
  command->callback([path, &program, &chosen] { chosen.text = help_text(program, *path); });
}

void add_version(CLI::App& app, Command& chosen) {
  auto* command = app.add_subcommand("version", "Print the version");
  command->footer(version_example);
  command->callback([&] { chosen.text = version_text(); });
}

std::string help_text(const CLI::App& program, std::span<const std::string> path) {
  const CLI::App& command = find_command(program, path);
  // The formatter is called directly, because App::help() would return the help of the subcommand
  // that the user chose on the command line.
  return without_flag_values(command.get_formatter()->make_help(&command, joined(program, path),
                                                                CLI::AppFormatMode::Normal));
}

std::string version_text() {
  return fmt::format("kubectl-tpu {}\n", text::version);
}

}  // namespace tpuwh::server::cli::kubectl_tpu
