#include "server/log/sink.hpp"

#include "server/net/thread.hpp"

#include <fmt/format.h>
#include <spdlog/formatter.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

namespace tpuwh::server::log {
namespace {

using Buffer = spdlog::memory_buf_t;

void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

LogLevel to_level(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::debug:
      return LogLevel::debug;
    case spdlog::level::info:
      return LogLevel::info;
    case spdlog::level::warn:
      return LogLevel::warn;
    default:
      return LogLevel::error;
  }
}

// Time, level, and what the Log made of the rest. By hand: spdlog's pattern takes a
// call for each of the time's eleven parts, and date and clock change once a second.
class LineFormatter final : public spdlog::formatter {
 public:
  explicit LineFormatter(LogFormat format) : format_(format) {}

  void format(const spdlog::details::log_msg& message, Buffer& out) override {
    const bool json = format_ == LogFormat::json;
    append(out, json ? R"({"time":")" : "time=");
    append_time(message.time, out);
    append(out, json ? R"(","level":")" : " level=");
    append(out, name_of(to_level(message.level)));
    if (json) out.push_back('"');
    append(out, {message.payload.data(), message.payload.size()});
    out.push_back('\n');
  }

  std::unique_ptr<formatter> clone() const override {
    return std::make_unique<LineFormatter>(format_);
  }

 private:
  void append_time(spdlog::log_clock::time_point time, Buffer& out) {
    using std::chrono::microseconds;
    const auto second = std::chrono::floor<std::chrono::seconds>(time);
    if (second != second_) {
      second_ = second;
      const auto count = static_cast<std::time_t>(second.time_since_epoch().count());
      std::tm parts{};
      gmtime_r(&count, &parts);
      second_text_.resize(20);
      second_text_.resize(std::strftime(second_text_.data(), 20, "%Y-%m-%dT%H:%M:%S", &parts));
    }
    append(out, second_text_);
    const auto micros = std::chrono::duration_cast<microseconds>(time - second).count();
    char text[] = ".000000Z";
    auto rest = static_cast<unsigned>(micros);
    for (char* digit = text + 6; rest > 0; --digit, rest /= 10)
      *digit = static_cast<char>('0' + rest % 10);
    append(out, {text, 8});
  }

  LogFormat format_;
  std::chrono::time_point<spdlog::log_clock, std::chrono::seconds> second_{};
  std::string second_text_;
};

// How long the last lines may take when the program ends.
constexpr auto last_wait = std::chrono::milliseconds(1000);
constexpr auto poll_wait = std::chrono::milliseconds(100);

}  // namespace

LogSink::LogSink(LogFormat format, int file)
    : base_sink(std::make_unique<LineFormatter>(format)),
      format_(format),
      output_(file),
      writer_(net::start_thread("log", [this](const std::stop_token& stop) { write_late(stop); })) {
}

LogSink::~LogSink() = default;

std::size_t LogSink::writes() {
  const std::lock_guard lock(mutex_);
  return output_.calls();
}

void LogSink::sink_it_(const spdlog::details::log_msg& message) {
  if (pending_.size() - written_ >= most_bytes) {
    ++dropped_;
    return;
  }
  append_dropped();
  formatter_->format(message, pending_);
  if (pending_.size() - written_ >= turn_bytes) write_now();
  if (std::exchange(asleep_, false)) something_.notify_one();
}

// As much as the reader takes at once.
void LogSink::write_now() {
  append_dropped();
  if (pending_.size() == 0) return;
  written_ += output_.write_now({pending_.data() + written_, pending_.size() - written_});
  if (output_.failed()) drop_unwritten();
  if (written_ == pending_.size() || written_ >= most_bytes) forget_written();
}

// What could not be written is lost, and counted. Not kept for a better time: a disk stays full for
// hours, and a try costs a system call.
void LogSink::drop_unwritten() {
  const auto lost = std::count(pending_.begin() + written_, pending_.end(), '\n');
  dropped_ += static_cast<std::uint64_t>(lost);
  if (notice_end_ > written_) dropped_ += notice_count_ - 1;  // one of them said so
  notice_end_ = 0;
  pending_.resize(written_);
}

void LogSink::forget_written() {
  notice_end_ = std::max(notice_end_, written_) - written_;
  std::copy(pending_.begin() + written_, pending_.end(), pending_.begin());
  pending_.resize(pending_.size() - written_);
  written_ = 0;
}

void LogSink::append_dropped() {
  const bool full = pending_.size() - written_ >= most_bytes;
  if (dropped_ == 0 || full || notice_end_ > written_) return;
  const bool json = format_ == LogFormat::json;
  append(pending_, json ? R"({"level":"error","msg":"log lines dropped","count":)"
                        : R"(level=error msg="log lines dropped" count=)");
  notice_count_ = std::exchange(dropped_, 0);
  append(pending_, fmt::format("{}{}\n", notice_count_, json ? "}" : ""));
  notice_end_ = pending_.size();
}

// Lines that nobody flushed, and what the reader did not take.
void LogSink::write_late(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    // Not told of every line: while they come, it looks every most_delay.
    asleep_ = pending_.size() == 0;
    something_.wait(lock, stop, [this] { return pending_.size() > 0 || !asleep_; });
    if (stop.stop_requested() && pending_.size() == 0) return write_now();  // what was dropped
    something_.wait_for(lock, stop, most_delay, [] { return false; });
    write_rest(lock, stop);
  }
}

void LogSink::write_rest(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  auto patience = last_wait;
  for (write_now(); pending_.size() > 0 && patience.count() > 0; write_now()) {
    lock.unlock();
    const bool ready = output_.wait(poll_wait);
    lock.lock();
    if (!ready && stop.stop_requested()) patience -= poll_wait;
  }
  if (patience.count() <= 0) pending_.clear();  // nobody reads, and the program ends
}

}  // namespace tpuwh::server::log
