// The subcommands about the command line itself: help and version.
#pragma once

#include "kubectl/cli/cli.hpp"

#include <CLI/App.hpp>

#include <span>
#include <string>

namespace tpuwh::server::cli::kubectl_tpu {

// add_help() and add_version() each add a subcommand that keeps references to the objects in the
// parameters. So these objects must exist until the command line is parsed.
void add_help(CLI::App& program, Command& chosen);
void add_version(CLI::App& app, Command& chosen);

// Returns the --help text of a command. `path` has the words that name the command, without the
// program's name: {"config", "check"}.
std::string help_text(const CLI::App& program, std::span<const std::string> path);

std::string version_text();

}  // namespace tpuwh::server::cli::kubectl_tpu
