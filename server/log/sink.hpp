// Where log lines go: memory first, then standard error, many lines in one write.
//
// flush() writes what is there and never waits: an event loop calls it at the end of its turn, so
// that the lines of all reviews of a turn cost one system call, and a process that is killed loses
// those of one turn at most. What the reader does not take at once a thread of its own writes
// later: one that falls asleep (a node's full disk, say) stops nobody's Pod.
#pragma once

#include "server/log/level.hpp"
#include "server/log/output.hpp"

#include <spdlog/sinks/base_sink.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace tpuwh::server::log {

class LogSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // `file`: an open descriptor that outlives the sink.
  LogSink(LogFormat format, int file);

  // Writes what is there, for a second at most.
  ~LogSink() override;

  // How long a line may stay in memory though the reader would take it, and how many bytes of
  // lines. What comes when it is full is counted, and what a full disk does not take; the number is
  // written when there is room.
  static constexpr auto most_delay = std::chrono::milliseconds(50);
  static constexpr std::size_t most_bytes = 1u << 20;

  // So many are written without waiting for the end of a turn: half of what a pipe holds.
  static constexpr std::size_t turn_bytes = 32u << 10;

  // Calls that wrote, or tried to.
  std::size_t writes();

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override { write_now(); }

  void write_now();
  void append_dropped();
  void drop_unwritten();
  void forget_written();
  void write_late(const std::stop_token& stop);
  void write_rest(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  const LogFormat format_;
  Output output_;
  spdlog::memory_buf_t pending_;
  std::size_t written_ = 0;  // of pending_, from its beginning
  std::uint64_t dropped_ = 0;
  // The line that says how many: where it ends in pending_ (0: it is not there), and what it says.
  std::size_t notice_end_ = 0;
  std::uint64_t notice_count_ = 0;
  bool asleep_ = false;  // the writer, until it is told of a line
  std::condition_variable_any something_;
  std::jthread writer_;  // last: it uses the rest
};

}  // namespace tpuwh::server::log
