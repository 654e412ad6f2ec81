// A program that is run to its end for what it prints.
#pragma once

#include <boost/system/result.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::plugins {

struct ChildProcess {
  std::string command;  // with a slash a path, else looked for in $PATH
  std::vector<std::string> args;
  // Added to our own environment; the last of a name holds.
  std::vector<std::pair<std::string, std::string>> env;
  std::chrono::milliseconds time_limit;
  std::size_t output_limit;  // bytes
  // Ends it soon after another thread has set this; null for never.
  const std::atomic<bool>* stop = nullptr;
};

struct ChildEnd {
  enum class How { exited, signalled, out_of_time, too_much_output, stopped };
  How how = How::exited;
  int code = 0;  // exit code or signal
  std::string output;
};

// Runs it without a shell: standard input is /dev/null, standard error is ours (so what it
// says there is seen as it is said), no other descriptor is handed on. When it overstays a
// limit or is stopped, it and what it has started are killed. Blocks until the end.
//
//   errors  what kept it from being started: ENOENT, EACCES, ...
boost::system::result<ChildEnd> run(const ChildProcess& child);

}  // namespace tpuwh::server::plugins
