#include "server/log/log.hpp"

#include "server/log/sink.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace tpuwh::server::log {
namespace {

using Line = fmt::memory_buffer;  // 500 bytes without an allocation: a usual line

constexpr std::size_t most_value_bytes = 256;

void append(Line& line, std::string_view text) {
  line.append(text.data(), text.data() + text.size());
}

void append_escaped(Line& line, char c) {
  switch (c) {
    case '"':
      return append(line, "\\\"");
    case '\\':
      return append(line, "\\\\");
    case '\n':
      return append(line, "\\n");
    case '\t':
      return append(line, "\\t");
    default:
      break;
  }
  // Names in Kubernetes are ASCII; what is not is noise, and may not be UTF-8.
  line.push_back(c >= ' ' && c <= '~' ? c : '?');
}

void append_quoted(Line& line, std::string_view text) {
  line.push_back('"');
  for (const char c : text.substr(0, most_value_bytes)) append_escaped(line, c);
  if (text.size() > most_value_bytes) append(line, "...");
  line.push_back('"');
}

bool is_bare_word(std::string_view text) {
  const auto plain = [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '=' && c != '\\';
  };
  return !text.empty() && text.size() <= most_value_bytes &&
         std::all_of(text.begin(), text.end(), plain);
}

void append_value(Line& line, LogFormat format, const LogField& field) {
  if (const auto* number = std::get_if<std::uint64_t>(&field.value)) {
    return append(line, fmt::format_int(*number).c_str());
  }
  if (const auto* flag = std::get_if<bool>(&field.value)) {
    return append(line, *flag ? "true" : "false");
  }
  const auto text = std::get<std::string_view>(field.value);
  if (format == LogFormat::text && is_bare_word(text)) return append(line, text);
  append_quoted(line, text);
}

void append_field(Line& line, LogFormat format, const LogField& field) {
  append(line, format == LogFormat::text ? " " : ",\"");
  append(line, field.key);
  append(line, format == LogFormat::text ? "=" : "\":");
  append_value(line, format, field);
}

void append_fields(Line& line, LogFormat format, std::string_view message,
                   std::span<const LogField> fields) {
  append_field(line, format, {"msg", message});
  for (const LogField& field : fields) append_field(line, format, field);
  if (format == LogFormat::json) line.push_back('}');
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

Log::Log(LogFormat format, LogLevel level)
    : format_(format),
      logger_(std::make_unique<spdlog::logger>("tpu-webhook",
                                               std::make_shared<LogSink>(format, STDERR_FILENO))) {
  logger_->set_level(to_spdlog(level));
}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  if (!logger_->should_log(to_spdlog(level))) return;
  Line line;
  append_fields(line, format_, message, fields);
  logger_->log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

void Log::review(const webhook::outcome::Summary& summary, std::chrono::microseconds took) {
  // An index that is not known is empty, not 0: 0 is a worker.
  const auto index = [](std::optional<std::uint32_t> value) -> decltype(LogField::value) {
    if (!value) return std::string_view();
    return std::uint64_t{*value};
  };
  const std::array fields = {
      LogField{"uid", summary.uid},
      LogField{"namespace", summary.ns},
      LogField{"owner", summary.owner},
      LogField{"workload", summary.workload},
      LogField{"outcome", webhook::outcome::name(summary.outcome)},
      LogField{"reason", webhook::outcome::name(summary.reason)},
      LogField{"slice", index(summary.slice)},
      LogField{"worker", index(summary.worker)},
      LogField{"workers", std::uint64_t{summary.workers}},
      LogField{"patch_bytes", std::uint64_t{summary.patch_bytes}},
      LogField{"unfit_pools", std::uint64_t{summary.unfit_pools}},
      LogField{"dry_run", summary.dry_run},
      LogField{"shadow", summary.shadow},
      LogField{"micros", static_cast<std::uint64_t>(took.count())},
  };
  const bool ours = summary.outcome == webhook::outcome::Outcome::failed;
  write(ours ? LogLevel::warn : LogLevel::info, "review", fields);
}

std::string format_fields(LogFormat format, std::string_view message,
                          std::span<const LogField> fields) {
  Line line;
  append_fields(line, format, message, fields);
  return fmt::to_string(line);
}

}  // namespace tpuwh::server::log
