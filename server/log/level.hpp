// How much is logged, and how.
#pragma once

#include <string_view>

namespace tpuwh::server::log {

enum class LogFormat { text, json };
enum class LogLevel { debug, info, warn, error };

constexpr std::string_view name_of(LogLevel level) {
  constexpr std::string_view names[] = {"debug", "info", "warn", "error"};  // in their order
  return names[static_cast<int>(level)];
}

}  // namespace tpuwh::server::log
