// How much is logged, and how.
#pragma once

#include "base/enum_names.hpp"

#include <string_view>

namespace tpuwh::server::log {

enum class LogFormat { text, json };
enum class LogLevel { debug, info, warn, error };

constexpr std::string_view name_of(LogLevel level) {
  constexpr base::EnumNames<LogLevel::error> names("debug", "info", "warn", "error");
  return names[level];
}

}  // namespace tpuwh::server::log
