#include "server/log/log.hpp"

#include "base/buffer.hpp"
#include "base/characters.hpp"
#include "server/log/sink.hpp"

#include <spdlog/logger.h>
#include <unistd.h>

#include <array>

namespace tpuwh::server::log {
namespace {

using Line = base::Buffer;

constexpr std::size_t most_value_bytes = 256;

// Characters that stand for themselves. Names in Kubernetes are ASCII; what is not is noise, and
// may not be UTF-8.
constexpr auto plain_in_quotes =
    base::characters([](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
constexpr auto plain_bare = base::characters(
    [](char c) { return base::is_of(plain_in_quotes, c) && c != ' ' && c != '='; });

std::string_view escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    default:
      return "?";
  }
}

void append_quoted(Line& line, std::string_view text) {
  std::string_view rest = text.substr(0, most_value_bytes);
  line.append('"');
  for (;;) {
    const std::size_t plain = base::count_leading(plain_in_quotes, rest);
    line.append(rest.substr(0, plain));
    if (plain == rest.size()) break;
    line.append(escaped(rest[plain]));
    rest.remove_prefix(plain + 1);
  }
  if (text.size() > most_value_bytes) line.append("...");
  line.append('"');
}

bool is_bare_word(std::string_view text) {
  return !text.empty() && text.size() <= most_value_bytes && base::consists_of(plain_bare, text);
}

void append_value(Line& line, LogFormat format, const LogField& field) {
  if (const auto* number = std::get_if<std::uint64_t>(&field.value)) return line.append(*number);
  if (const auto* flag = std::get_if<bool>(&field.value)) {
    return line.append(*flag ? std::string_view("true") : std::string_view("false"));
  }
  const auto text = std::get<std::string_view>(field.value);
  if (format == LogFormat::text && is_bare_word(text)) return line.append(text);
  append_quoted(line, text);
}

void append_field(Line& line, LogFormat format, const LogField& field) {
  if (format == LogFormat::text)
    line.add(' ', field.key, '=');
  else
    line.add(",\"", field.key, "\":");
  append_value(line, format, field);
}

void append_fields(Line& line, LogFormat format, std::string_view message,
                   std::span<const LogField> fields) {
  append_field(line, format, {"msg", message});
  for (const LogField& field : fields) append_field(line, format, field);
  if (format == LogFormat::json) line.append('}');
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

void Log::flush() {
  holds_lines_.store(false, std::memory_order_relaxed);
  logger_->flush();
}

bool Log::add(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  if (!logger_->should_log(to_spdlog(level))) return false;
  thread_local Line line;  // its memory is kept
  line.clear();
  append_fields(line, format_, message, fields);
  logger_->log(to_spdlog(level), spdlog::string_view_t(line.view().data(), line.size()));
  holds_lines_.store(true, std::memory_order_relaxed);
  return true;
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
  if (summary.outcome == webhook::outcome::Outcome::failed)
    write(LogLevel::warn, "review", fields);
  else
    add(LogLevel::info, "review", fields);
}

std::string format_fields(LogFormat format, std::string_view message,
                          std::span<const LogField> fields) {
  Line line;
  append_fields(line, format, message, fields);
  return std::string(line.view());
}

}  // namespace tpuwh::server::log
