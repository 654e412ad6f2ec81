// The line of a process that ends although one of its threads hangs: written without the log,
// whose lock that thread may hold, and without allocating.
#pragma once

#include "server/log/log.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <thread>

namespace tpuwh::server::log {

class LastLine {
 public:
  // `file`: an open descriptor that outlives this; standard error, if the log writes there.
  // Throws std::runtime_error if no thread can be started.
  LastLine(LogFormat format, int file);
  ~LastLine();

  // Once. Texts are literals of ours: they are written as they are. A thread of its own writes,
  // since a file may block (a disk that hangs is a reason to hang); waited for for a second.
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields);

 private:
  enum class State : int { waiting, ready, written, over };

  void run();
  void append(std::string_view text);
  void append_time();

  const LogFormat format_;
  const int file_;
  std::array<char, 512> line_{};
  std::size_t size_ = 0;
  std::atomic<State> state_{State::waiting};
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace tpuwh::server::log
