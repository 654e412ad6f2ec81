#include "server/cli/help_flags.hpp"

#include "server/cli/wrong_usage.hpp"
#include "server/text/version.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace tpuwh::server::cli {

namespace {

constexpr auto help_example = R"(
The same as --help after the command.

Examples:
  tpu-webhook help review
  tpu-webhook help config check)";

constexpr auto version_example = R"(
The same as --version.

Examples:
  tpu-webhook version)";

constexpr std::string_view usual_name = "tpu-webhook";

std::string joined(const CLI::App& program, std::span<const std::string> path) {
  std::string name = program.get_name();
  for (const std::string& word : path) name += " " + word;
  return name;
}

// "kubectl tpu review" -> "kubectl tpu review"; not of the word in a name, a path or a sentence.
std::string as_called(std::string text, const CLI::App& program) {
  const std::string& name = program.get_name();
  if (name == usual_name) return text;
  for (auto at = text.find(usual_name); at != std::string::npos; at = text.find(usual_name, at)) {
    const bool begins =
        at == 0 || std::string_view(" \n(|").find(text[at - 1]) != std::string::npos;
    const auto end = at + usual_name.size();
    const std::string next = text.substr(end, text.find_first_of(" \n", end + 1) - end);
    bool command = next.starts_with(" --");
    for (const CLI::App* each : program.get_subcommands({}))
      command = command || next == " " + each->get_name();
    if (begins && (command || end == text.size())) text.replace(at, usual_name.size(), name);
    at += 1;
  }
  return text;
}

void speak_in(CLI::App& command, const CLI::App& program) {
  command.footer(as_called(command.get_footer(), program));
  for (CLI::App* each : command.get_subcommands([](CLI::App*) { return true; }))
    speak_in(*each, program);
}

}  // namespace

void add_help(CLI::App& program, Command& chosen) {
  auto path = std::make_shared<std::vector<std::string>>();
  auto* command = program.add_subcommand("help", "Print the help of a command");
  command->add_option("COMMAND", *path, "Which one; default: all of them, in short");
  command->footer(help_example);
  command->callback([path, &program, &chosen] { chosen.text = help_text(program, *path); });
}

void add_version(CLI::App& app, const Program& program, Command& chosen) {
  auto* command = app.add_subcommand("version", "Print the version");
  command->footer(version_example);
  command->callback([&] { chosen.text = version_text(program); });
}

void speak_of(CLI::App& program) {
  speak_in(program, program);
}

std::string help_text(const CLI::App& program, std::span<const std::string> path) {
  const CLI::App& command = find_command(program, path);
  // Of the formatter, since an App prints the help of the command that was chosen.
  return command.get_formatter()->make_help(&command, joined(program, path),
                                            CLI::AppFormatMode::Normal);
}

std::string version_text(const Program& program) {
  return fmt::format("{} {}\n", program.file, text::version);
}

}  // namespace tpuwh::server::cli
