// How much is logged, and how.
#pragma once

#include <string_view>

namespace tpuwh::server::log {

enum class LogFormat { text, json };
enum class LogLevel { debug, info, warn, error };

constexpr std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warn:
      return "warn";
    case LogLevel::error:
      return "error";
  }
  return "error";
}

}  // namespace tpuwh::server::log
