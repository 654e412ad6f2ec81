// Flags that CLI11 has no kind for: parsed by a function, or one of a few names. What is
// wrong with a value is said with what would be right.
#pragma once

#include "kubectl/text/near_miss.hpp"
#include "server/settings/names.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {

// A flag whose text `parse` turns into a value, or into nothing. `near`: what may have been meant.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App& command, const std::string& flag, T& value, Parse parse,
                        const std::string& wanted, const std::string& help,
                        const std::vector<std::string>& near = {}) {
  const auto name = flag.substr(0, flag.find(','));
  const auto read = [name, wanted, parse, near, &value](const std::string& text) {
    const auto parsed = parse(text);
    if (!parsed) {
      throw CLI::ValidationError(name, fmt::format("expected {}, got \"{}\"{}", wanted, text,
                                                   text::did_you_mean(text::closest(text, near))));
    }
    value = *parsed;
  };
  return command.add_option_function<std::string>(flag, read, help);
}

// A flag that takes one of a few names; the first is the default, unless `value` is optional.
template <class T, class Value = T>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, Value& value,
                        const settings::Names<T>& names, const std::string& help) {
  std::vector<std::string> all;
  for (const auto& [name, meaning] : names) all.emplace_back(name);
  const std::string list = fmt::format("{}", fmt::join(all, "|"));
  const auto parse = [names](std::string_view text) -> std::optional<T> {
    for (const auto& [name, meaning] : names) {
      if (name == text) return meaning;
    }
    return std::nullopt;
  };
  auto* option = add_parsed(command, flag, value, parse, list, help, all)->type_name(list);
  if constexpr (std::is_same_v<T, Value>) option->default_str(std::string(names.front().first));
  return option;
}

}  // namespace tpuwh::server::cli::kubectl_tpu
