#include "server/cli/words.hpp"

#include <CLI/CLI.hpp>

namespace tpuwh::server::cli {

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

std::string without_flag_values(std::string help) {
  for (std::size_t at = 0; (at = help.find("{false}")) != help.npos;) help.erase(at, 7);
  return help;
}

}  // namespace tpuwh::server::cli
