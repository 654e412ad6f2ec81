// Flags that CLI11 has no kind for: parsed by a function, or one of a few names. What is
// wrong with a value is said with what would be right.
#pragma once

#include "server/settings/names.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::cli {

// A flag whose text `parse` turns into a value, or into nothing.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App& command, const std::string& flag, T& value, Parse parse,
                        const std::string& wanted, const std::string& help) {
  const auto name = flag.substr(0, flag.find(','));
  const auto read = [name, wanted, parse, &value](const std::string& text) {
    const auto parsed = parse(text);
    if (!parsed) {
      throw CLI::ValidationError(name, fmt::format("want {}, not \"{}\"", wanted, text));
    }
    value = *parsed;
  };
  return command.add_option_function<std::string>(flag, read, help);
}

// A flag that takes one of a few names; the first is the default.
template <class T>
void add_choice(CLI::App& command, const std::string& flag, T& value,
                const settings::Names<T>& names, const std::string& help) {
  std::string list;
  for (const auto& [name, meaning] : names) {
    list += fmt::format("{}{}", list.empty() ? "" : "|", name);
  }
  const auto parse = [names](std::string_view text) -> std::optional<T> {
    for (const auto& [name, meaning] : names) {
      if (name == text) return meaning;
    }
    return std::nullopt;
  };
  add_parsed(command, flag, value, parse, list, help)
      ->type_name(list)
      ->default_str(std::string(names.front().first));
}

}  // namespace tpuwh::server::cli
