// Describes an error in a command line in one sentence, with the word that was probably meant.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace tpuwh::server::cli::kubectl_tpu {

// The command that the words `path` lead to from `program`, as `help COMMAND` has them. Throws
// UsageError for an unknown one.
const CLI::App& find_command(const CLI::App& program, std::span<const std::string> path);

// Why `arguments` (without the program's name) were not parsed: an unknown option first, since
// what follows it was taken for something else, then an unknown command, then CLI11's own words.
std::string wrong_usage(const CLI::App& program, std::span<const std::string> arguments,
                        const CLI::ParseError& error);

}  // namespace tpuwh::server::cli::kubectl_tpu
