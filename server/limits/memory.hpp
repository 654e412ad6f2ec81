// What callers and the cluster can make the server hold, added up. The chart's memory request
// is the sum (tests/server/operations.py), and tests/security holds the resident size of an
// attacked server to it.
#pragma once

#include "server/limits/limits.hpp"
#include "webhook/read/body.hpp"

#include <cstddef>

namespace tpuwh::server::limits::memory {

inline constexpr std::size_t kib = 1u << 10;
inline constexpr std::size_t mib = 1u << 20;

// The program before its first request: code, OpenSSL, the log, metrics.
inline constexpr std::size_t program = 20 * mib;

// After them it stays with the process, for the next ones: blocks of less than 128 KiB go back to
// the allocator and not to the kernel (50 MiB after 1,024 connections, and no more after any number
// of such bursts).
// One connection with the begin of a request: TLS session, read buffer, the session's coroutine.
// Measured by tests/server/limits.py::a_connection_holds_no_more_than_is_counted.
inline constexpr std::size_t connection = 44 * kib;

// One event loop: a review of at most large_review_bytes as it is read, the patch and the
// answer with the room that their buffers grow by, lists of the slices seen last.
inline constexpr std::size_t loop = 14 * mib;

// The largest review as it is read: an index of four bytes for each of its own, decoded
// strings, and elements of its lists. One at a time, on whichever loop.
inline constexpr std::size_t large_review = 5 * webhook::read::max_review_bytes + 16 * mib;

// A cluster of 100,000 TPU Pods on 15,000 nodes of 30 labels in the store (bench/store_memory: 51
// MB with the program and a page of a list; 82 MB where no two nodes of a pool have labels alike),
// and one answer of an API server while it is read.
inline constexpr std::size_t cluster = 80 * mib + 6 * api::answer_bytes;

constexpr std::size_t callers(unsigned loops) {
  return connections * connection + loops * loop + large_review + held_bytes;
}

}  // namespace tpuwh::server::limits::memory
