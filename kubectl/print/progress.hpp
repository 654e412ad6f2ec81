// One line about what is under way, for a person who waits at a terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

namespace tpuwh::server::print {

// The line appears once two seconds are over, is written again each second and erased at the end,
// so that nothing else may be written to `terminal` meanwhile.
class Progress {
 public:
  explicit Progress(std::ostream* terminal);  // null: it says nothing
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void now(std::string what);  // "listing pods"

 private:
  void show(const std::stop_token& stop);

  std::ostream* const terminal_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::string what_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace tpuwh::server::print
