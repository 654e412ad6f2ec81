// The server's log: one line per event on standard error, as logfmt
//   time=2026-01-05T10:00:00.000123Z level=info msg=review uid=705a… outcome=patched …
// or as JSON with the same names. Thread safe.
//
// No secret, token or whole object is ever given to it; what peers sent is cut to
// 256 bytes and escaped, so that a line stays a line.
#pragma once

#include "server/log/level.hpp"
#include "webhook/outcome/summary.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace spdlog {
class logger;
}

namespace tpuwh::server::log {

// A name and a value. The value is a view for as long as the call.
struct LogField {
  std::string_view key;
  std::variant<std::string_view, std::uint64_t, bool> value;
};

class Log {
 public:
  Log(LogFormat format, LogLevel level);
  ~Log();  // what was logged is written (server/log/sink.hpp)

  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::debug, message, fields);
  }
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::info, message, fields);
  }
  void warn(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::warn, message, fields);
  }
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::error, message, fields);
  }

  // The line of a review: every field of the summary, always, in one order.
  // Warnings for faults of ours, information for the rest. Not written at once, as others are:
  // an event loop flushes those of a turn together.
  void review(const webhook::outcome::Summary& summary, std::chrono::microseconds took);

  // Writes the lines that wait, without waiting for their reader (server/log/sink.hpp).
  void flush();

  // Whether there are lines that nobody has flushed.
  bool holds_lines() const { return holds_lines_.load(std::memory_order_relaxed); }

 private:
  // Whether there was something to write.
  bool add(LogLevel level, std::string_view message, std::span<const LogField> fields);
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) {
    if (add(level, message, fields)) flush();
  }

  LogFormat format_;
  std::atomic<bool> holds_lines_{false};
  std::unique_ptr<spdlog::logger> logger_;
};

// What follows time and level in a line: ` msg=review uid=…` or `,"msg":"review",…}`.
std::string format_fields(LogFormat format, std::string_view message,
                          std::span<const LogField> fields);

}  // namespace tpuwh::server::log
