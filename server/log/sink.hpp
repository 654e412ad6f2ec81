// Where log lines go: memory first, then standard error in blocks, written by a
// thread of its own. Saves a system call per review, and a reader of our standard
// error that falls asleep (a node's full disk, say) stops nobody's Pod.
#pragma once

#include "server/log/level.hpp"

#include <spdlog/sinks/base_sink.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tpuwh::server::log {

class LogSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // `file`: an open descriptor that outlives the sink.
  LogSink(LogFormat format, int file);

  // Writes what is there, for a second at most.
  ~LogSink() override;

  // How long a line may stay in memory, and how many bytes of lines. What comes
  // when it is full is counted, and the number is written when there is room.
  static constexpr auto most_delay = std::chrono::milliseconds(50);
  static constexpr std::size_t most_bytes = 1u << 20;

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

  void write_blocks(const std::stop_token& stop);
  void write_block(std::string_view block, const std::stop_token& stop);

  const LogFormat format_;
  const int file_;
  spdlog::memory_buf_t pending_;
  std::uint64_t dropped_ = 0;
  std::condition_variable_any something_;
  std::jthread writer_;  // last: it uses the rest
};

}  // namespace tpuwh::server::log
