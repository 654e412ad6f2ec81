#include "server/log/sink.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/formatter.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <utility>

namespace tpuwh::server::log {
namespace {

using Buffer = spdlog::memory_buf_t;

void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

std::string_view name_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::debug:
      return "debug";
    case spdlog::level::info:
      return "info";
    case spdlog::level::warn:
      return "warn";
    default:
      return "error";
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
    append(out, name_of(message.level));
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
    fmt::format_to(fmt::appender(out), ".{:06}Z", micros);
  }

  LogFormat format_;
  std::chrono::time_point<spdlog::log_clock, std::chrono::seconds> second_{};
  std::string second_text_;
};

// A pipe that is ready to write takes at least this much without blocking (POSIX).
constexpr std::size_t block_bytes = 4096;

// How long the last lines may take when the program ends.
constexpr auto last_wait = std::chrono::milliseconds(1000);
constexpr auto poll_wait = std::chrono::milliseconds(100);

}  // namespace

LogSink::LogSink(LogFormat format, int file)
    : base_sink(std::make_unique<LineFormatter>(format)),
      format_(format),
      file_(file),
      writer_([this](const std::stop_token& stop) { write_blocks(stop); }) {}

LogSink::~LogSink() = default;

void LogSink::sink_it_(const spdlog::details::log_msg& message) {
  if (pending_.size() >= most_bytes) {
    ++dropped_;
    return;
  }
  const bool first = pending_.size() == 0;
  formatter_->format(message, pending_);
  if (first) something_.notify_one();
}

void LogSink::write_blocks(const std::stop_token& stop) {
  Buffer block;
  std::unique_lock lock(mutex_);
  for (;;) {
    something_.wait(lock, stop, [this] { return pending_.size() > 0; });
    if (pending_.size() == 0) return;  // and stop was requested
    // Let more lines come, which saves a system call a review; a stop ends the wait.
    something_.wait_for(lock, stop, most_delay, [] { return false; });
    std::swap(block, pending_);
    const auto dropped = std::exchange(dropped_, 0);
    lock.unlock();
    if (dropped > 0) {
      const bool json = format_ == LogFormat::json;
      append(block, json ? R"({"level":"error","msg":"log lines dropped","count":)"
                         : R"(level=error msg="log lines dropped" count=)");
      append(block, fmt::format("{}{}\n", dropped, json ? "}" : ""));
    }
    write_block({block.data(), block.size()}, stop);
    block.clear();
    lock.lock();
  }
}

void LogSink::write_block(std::string_view block, const std::stop_token& stop) {
  auto patience = last_wait;
  while (!block.empty()) {
    pollfd ready{.fd = file_, .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(poll_wait.count())) == 0) {
      if (stop.stop_requested()) patience -= poll_wait;
      if (patience.count() <= 0) return;
      continue;
    }
    const auto written = ::write(file_, block.data(), std::min(block.size(), block_bytes));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;  // nobody reads any more
    block.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

}  // namespace tpuwh::server::log
