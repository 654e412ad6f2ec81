// How much is logged, and how.
#pragma once

namespace tpuwh::server::log {

enum class LogFormat { text, json };
enum class LogLevel { debug, info, warn, error };

}  // namespace tpuwh::server::log
