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

// The number of ports without TLS: one for the probes and one for the metrics.
inline constexpr std::size_t plain_ports = 2;

// The largest number of connections of each plain port, and of the TLS port, if the process may
// open `files` files. At most an eighth of the files is for the plain ports, and the rest is for
// reviews. With 1,200 files and two event loops, the TLS port has its full number,
// limits::connections.
constexpr std::size_t plain_connections_of(std::size_t files) {
  return std::min(files / 8 / plain_ports, plain_connections);
}
constexpr std::size_t connections_of(std::size_t files, unsigned loops) {
  constexpr std::size_t least = 4;  // with fewer nothing is served
  const std::size_t reserve =
      own_files + (loops + 1) * loop_files + plain_ports * plain_connections_of(files);
  return std::clamp(files > reserve ? files - reserve : 0, least, connections);
}

}  // namespace tpuwh::server::limits
