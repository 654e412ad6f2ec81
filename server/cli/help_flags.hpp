// The subcommands about the command line itself: help and version.
#pragma once

#include "server/cli/cli.hpp"

#include <CLI/App.hpp>

#include <span>
#include <string>

namespace tpuwh::server::cli {

// All keep a reference to what they are given, which must live until the command line is parsed.
void add_help(CLI::App& program, Command& chosen);
void add_version(CLI::App& app, const Program& program, Command& chosen);

// Examples of commands that both programs have say `tpu-webhook config`: from now on they name the
// program that this is, as it is called.
void speak_of(CLI::App& program);

// What --help prints of a command: `path` are the words behind the program's name.
std::string help_text(const CLI::App& program, std::span<const std::string> path);

std::string version_text(const Program& program);

}  // namespace tpuwh::server::cli
