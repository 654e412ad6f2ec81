// A connection's bytes, cut as a peer may cut them.
#pragma once

#include "tests/fuzz/targets.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace tpuwh::fuzz {

// Calls `read` with each number of bytes that may come at once of so many. By single bytes a long
// head is copied for each of them, so that too many pieces are left out.
inline void for_each_step(std::size_t bytes, const std::function<void(std::size_t step)>& read) {
  constexpr std::size_t most_pieces = 4096;
  for (const std::size_t step : {1u, 2u, 3u, 7u, 64u, 1460u})
    if (bytes / step <= most_pieces) read(step);
}

// A parser is called at most for the head, the body and the end of each piece and of each message.
inline void require_few_calls(std::size_t calls, std::size_t bytes, std::size_t step,
                              std::size_t messages) {
  const std::size_t most = 2 * (bytes / step + 1) + 4 * (messages + 2);
  require(calls <= most, std::to_string(calls) + " calls of the parser");
}

}  // namespace tpuwh::fuzz
