// Whether a longer input costs more than its length: in time, as the thread's own CPU time, and in
// memory that is held when it has been read.
#pragma once

#include "tests/support/heap_bytes.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tpuwh::fuzz {

using test::heap_bytes;

// A part of `bytes` again and again, so that all together are about `size`: which part is settled
// by the bytes alone.
std::string repeated(std::string_view bytes, std::size_t size);

// Reads all it is given, once; says what the heap grew by, while what was read is still held.
using Read = std::function<std::size_t(std::string_view bytes)>;

// Broken where `read` takes more than in proportion for an input of 4 `size` than for one of
// `size`, both made of `bytes`. The clock is noisy, so a suspicion is measured again, and the least
// counts; and it has to grow as much once more, by four times.
void require_linear(std::string_view bytes, std::size_t size, const Read& read);

// The same of what a command does with its input, of which nothing is held, for one input in eight:
// a part of it again and again, and all of it again and again with `between` after each.
void require_linear_time(std::string_view bytes, std::string_view between,
                         const std::function<void(std::string_view bytes)>& command);

// The most that was seen so far in this program, and let pass.
struct Growth {
  double times = 0;          // the time of the fourfold input in that of the single one
  double heap_per_byte = 0;  // of the fourfold input
};
const Growth& most_growth();

}  // namespace tpuwh::fuzz
