// The terms in the --help texts of tpu-webhook and kubectl-tpu.
#pragma once

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

// Makes the --help texts of `app` and of all its subcommands use the same terms. Subcommands are
// called commands, positionals are called arguments, and no type is printed after the name of an
// argument.
void set_words(CLI::App& app);

}  // namespace tpuwh::server::cli
