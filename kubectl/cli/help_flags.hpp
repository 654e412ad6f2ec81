// The subcommands about the command line itself: help and version.
#pragma once

#include "kubectl/cli/cli.hpp"

#include <CLI/App.hpp>

#include <span>
#include <string>

namespace tpuwh::server::cli::kubectl_tpu {

// Both keep references to their arguments, which must live until the command line is parsed.
void add_help(CLI::App& program, Command& chosen);
void add_version(CLI::App& app, Command& chosen);

// Returns the text of --help of a command. `path` has the words after the program's name.
std::string help_text(const CLI::App& program, std::span<const std::string> path);

std::string version_text();

}  // namespace tpuwh::server::cli::kubectl_tpu
