// Parses a command line of either program, and returns the error message of a refused one.
#pragma once

#include "kubectl/cli/cli.hpp"
#include "server/cli/tpu_webhook/program.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace tpuwh::server::cli {

using Arguments = std::vector<std::string>;

// Returns the words of a command line without quotes.
inline Arguments words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

template <class Command>
Command parse_as(const char* program, const Arguments& arguments,
                 Command (*parse_command_line)(int, const char* const*)) {
  std::vector<const char*> all = {program};
  for (const std::string& each : arguments) all.push_back(each.c_str());
  return parse_command_line(static_cast<int>(all.size()), all.data());
}

inline tpu_webhook::Command of_server(const Arguments& arguments) {
  return parse_as("tpu-webhook", arguments, tpu_webhook::parse_command_line);
}

// Parses the arguments as tpu-webhook if the first one is "serve", which only that program has, and
// otherwise as kubectl-tpu. The command of tpu-webhook ignores the console.
inline kubectl_tpu::Command parse(const Arguments& arguments) {
  if (arguments.empty() || arguments.front() != "serve")
    return parse_as("kubectl-tpu", arguments, kubectl_tpu::parse_command_line);
  const auto command = of_server(arguments);
  kubectl_tpu::Command out{.text = command.text, .run = {}};
  if (command.run) out.run = [run = command.run](const text::Console&) { return run(); };
  return out;
}

// Returns the error message of `read` for a command line that it refuses. If `read` accepts the
// command line, the running test fails.
template <class Command>
std::string refusal(Command (*read)(const Arguments&), const Arguments& arguments) {
  try {
    read(arguments);
  } catch (const settings::UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted " << testing::PrintToString(arguments);
  return {};
}

}  // namespace tpuwh::server::cli
