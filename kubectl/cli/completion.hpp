// What a shell offers where somebody presses the tab key. The scripts that `completion SHELL`
// prints ask the program itself, `kubectl-tpu __complete WORD...`, so that they never say another
// thing than it takes.
#pragma once

#include "kubectl/cli/cli.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace tpuwh::server::cli::kubectl_tpu {

// Adds `completion`, which prints the script for a shell.
void add_completion(CLI::App& program, Command& chosen);

// The lines that a script of ours or kubectl reads, if one of them started the program: as `file`,
// with `arguments`. Otherwise nullopt.
std::optional<std::string> completed(const CLI::App& program, std::string_view file,
                                     std::span<const std::string> arguments);

}  // namespace tpuwh::server::cli::kubectl_tpu
