#include "kubectl/cli/wrong_usage.hpp"

#include "kubectl/text/near_miss.hpp"
#include "server/settings/usage_error.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands({})) names.push_back(each->get_name());
  return names;
}

// "--output", "-o" and "--no-placement": as they are typed.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The command that was chosen, as deep as it was.
struct Chosen {
  const CLI::App* app;
  std::string path;  // "tpu-webhook config"
  std::size_t depth = 0;
};

Chosen chosen_of(const CLI::App& program) {
  Chosen chosen{&program, program.get_name()};
  for (auto next = program.get_subcommands(); !next.empty(); next = chosen.app->get_subcommands()) {
    chosen.app = next.front();
    chosen.path += " " + chosen.app->get_name();
    ++chosen.depth;
  }
  return chosen;
}

std::string unknown_command(const CLI::App& within, const std::string& path,
                            std::string_view found) {
  const auto names = commands_of(within);
  const std::string near = text::closest(found, names);
  if (!near.empty())
    return fmt::format("unknown command \"{}\"{} See {} --help", found, text::did_you_mean(near),
                       path);
  return fmt::format("expected a command, one of {}{}; see {} --help", fmt::join(names, ", "),
                     found.empty() ? "" : fmt::format(", got \"{}\"", found), path);
}

// "" where every option is known, of the command and in front of it.
std::string unknown_option(const CLI::App& program, const Chosen& chosen) {
  for (const std::string& left : program.remaining(true)) {
    if (left.size() < 2 || left.front() != '-') continue;
    const std::string name = left.substr(0, left.find('='));
    const std::string hint = text::did_you_mean(text::closest(name, options_of(*chosen.app)));
    return fmt::format("unknown option {}{} See {} --help", name, hint.empty() ? "." : hint,
                       chosen.path);
  }
  return {};
}

}  // namespace

const CLI::App& find_command(const CLI::App& program, std::span<const std::string> path) {
  const CLI::App* at = &program;
  std::string name = program.get_name();
  for (const std::string& word : path) {
    const auto all = at->get_subcommands({});
    const auto found =
        std::ranges::find(all, word, [](const CLI::App* a) { return a->get_name(); });
    if (found == all.end() && all.empty())
      throw settings::UsageError(fmt::format("{} has no commands, got \"{}\"", name, word));
    if (found == all.end()) throw settings::UsageError(unknown_command(*at, name, word));
    at = *found;
    name += " " + word;
  }
  return *at;
}

std::string wrong_usage(const CLI::App& program, std::span<const std::string> arguments,
                        const CLI::ParseError& error) {
  const Chosen chosen = chosen_of(program);
  const bool wants_command = !chosen.app->get_subcommands({}).empty();
  const auto next = arguments.subspan(std::min(chosen.depth, arguments.size()));
  if (wants_command && (next.empty() || !next.front().starts_with('-')))
    return unknown_command(*chosen.app, chosen.path, next.empty() ? "" : next.front());
  if (const std::string unknown = unknown_option(program, chosen); !unknown.empty()) return unknown;
  if (const auto left = program.remaining(true);
      !left.empty() && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return fmt::format("unexpected argument \"{}\"; see {} --help", left.front(), chosen.path);
  if (wants_command) return unknown_command(*chosen.app, chosen.path, "");
  return error.what();
}

}  // namespace tpuwh::server::cli::kubectl_tpu
