#include "server/cli/cli.hpp"

#include "server/cli/help_flags.hpp"
#include "server/cli/wrong_usage.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::cli {
namespace {

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

void describe(CLI::App& app, const Program& program, Command& chosen) {
  app.set_version_flag("--version", version_text(program));
  app.require_subcommand(1);
  app.formatter(std::make_shared<Names>());  // of the commands, too
  app.footer(std::string(program.examples));
  program.add_commands(app, chosen);
  add_help(app, chosen);
  add_version(app, program, chosen);
  set_words(app);
  speak_of(app);
}

Command parse_command_line(const Program& program, int argc, const char* const* argv) {
  Command chosen;
  const std::string_view file = argc > 0 ? argv[0] : "";
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  CLI::App app(std::string(program.what), std::string(program.called));
  describe(app, program, chosen);
  if (program.completed) {
    if (auto lines = program.completed(app, file, arguments)) {
      chosen.text = std::move(*lines);
      return chosen;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    chosen.text = help_text(app, chosen_path(app));
  } catch (const CLI::CallForVersion&) {
    chosen.text = version_text(program);
  } catch (const CLI::ParseError& error) {
    if (!arguments.empty() &&
        std::ranges::find(program.elsewhere, arguments.front()) != program.elsewhere.end())
      throw settings::UsageError(fmt::format("{} is a command of {}: {} {}", arguments.front(),
                                             program.other, program.other, arguments.front()));
    throw settings::UsageError(wrong_usage(app, arguments, error));
  }
  return chosen;
}

}  // namespace tpuwh::server::cli
