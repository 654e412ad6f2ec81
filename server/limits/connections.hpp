// How many connections there may be, and how long one lasts without an answer: what follows from
// the limits of limits.hpp and from what the process may open.
#pragma once

#include "server/limits/limits.hpp"

#include <algorithm>
#include <cstddef>

namespace tpuwh::server::limits {

// From one answer to the next, or from a connection's begin: whatever it waits for, and whoever
// keeps it waiting. All waits between the two at their longest; nothing excuses more.
inline constexpr Duration between_answers = idle + header + body + answer + write;

// Files that are no caller's connection: standard ones, log, certificate, /proc while a scrape
// reads it, watches, questions and kept connections of the API server's client; and of each loop
// its listener and what Asio has of the kernel.
inline constexpr std::size_t own_files = 24;
inline constexpr std::size_t loop_files = 4;

// Where the process may open so many files at most, the caps of connections of the plain ports and
// of the TLS port: an eighth at most for probes, the rest for callers. With 1,200 and two loops all
// of `connections` fit.
constexpr std::size_t health_connections_of(std::size_t files) {
  return std::min(files / 8, health_connections);
}
constexpr std::size_t connections_of(std::size_t files, unsigned loops) {
  constexpr std::size_t least = 4;  // with fewer nothing is served
  const std::size_t reserve = own_files + (loops + 1) * loop_files + health_connections_of(files);
  return std::clamp(files > reserve ? files - reserve : 0, least, connections);
}

}  // namespace tpuwh::server::limits
