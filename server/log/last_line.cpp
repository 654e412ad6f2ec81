#include "server/log/last_line.hpp"

#include "server/log/output.hpp"
#include "server/net/thread.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>

namespace tpuwh::server::log {
namespace {

constexpr auto patience = std::chrono::milliseconds(1000);
constexpr auto pause = std::chrono::milliseconds(5);

// For lines of others that are in memory yet (LogSink::most_delay, and as much again).
constexpr auto others = std::chrono::milliseconds(100);

}  // namespace

LastLine::LastLine(LogFormat format, int file)
    : format_(format), file_(file), thread_(net::start_thread("last line", [this] { run(); })) {}

LastLine::~LastLine() {
  state_ = State::over;
  state_.notify_all();
}

void LastLine::write(LogLevel level, std::string_view message,
                     std::initializer_list<LogField> fields) {
  std::this_thread::sleep_for(others);
  const bool json = format_ == LogFormat::json;
  if (standard_error_is_torn()) append("\n");
  append(json ? R"({"time":")" : "time=");
  append_time();
  append(json ? R"(","level":")" : " level=");
  append(name_of(level));
  append(json ? R"(","msg":")" : " msg=\"");
  append(message);
  append("\"");
  for (const LogField& field : fields) {
    append(json ? ",\"" : " ");
    append(field.key);
    append(json ? "\":" : "=");
    if (const auto* number = std::get_if<std::uint64_t>(&field.value)) {
      const fmt::format_int digits(*number);
      append({digits.data(), digits.size()});
    } else if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      append("\"");
      append(*text);
      append("\"");
    }
  }
  append(json ? "}\n" : "\n");
  state_ = State::ready;
  state_.notify_all();
  // Not std::atomic::wait(), which has no end.
  for (auto left = patience; left.count() > 0 && state_ != State::written; left -= pause)
    std::this_thread::sleep_for(pause);
}

void LastLine::run() {
  state_.wait(State::waiting);
  if (state_ != State::ready) return;
  Output output(file_);
  std::string_view rest(line_.data(), size_);
  for (auto left = patience; !rest.empty() && left.count() > 0; left -= pause) {
    rest.remove_prefix(output.write_now(rest));
    if (!rest.empty()) output.wait(pause);
  }
  state_ = State::written;
}

void LastLine::append(std::string_view text) {
  const auto part = text.substr(0, line_.size() - size_);
  std::ranges::copy(part, line_.data() + size_);
  size_ += part.size();
}

// By hand: what the C library has for it takes a lock.
void LastLine::append_time() {
  using namespace std::chrono;
  const auto now = floor<microseconds>(system_clock::now());
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss clock(now - day);
  std::array<char, 48> text{};
  const auto end = fmt::format_to_n(
      text.data(), text.size(), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
      clock.seconds().count(), clock.subseconds().count());
  append({text.data(), std::min(end.size, text.size())});
}

}  // namespace tpuwh::server::log
