// The terms in the --help texts of tpu-webhook and kubectl-tpu.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

// Makes the --help texts of `app` and of all its subcommands use the terms of this project:
// subcommands are called commands, positionals are called arguments, and no type is printed after
// the name of an argument.
void set_words(CLI::App& app);

// Returns `help` without the values that CLI11 prints after the names of negated flags, such as
// "{false}" in "--no-placement{false}".
std::string without_flag_values(std::string help);

}  // namespace tpuwh::server::cli
