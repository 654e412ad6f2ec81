// The words of --help that both programs have in common.
#pragma once

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

// Sets one word for each idea in --help of a program and its commands: commands have arguments, and
// names instead of types.
void set_words(CLI::App& app);

}  // namespace tpuwh::server::cli
