#include "server/kube/decode/value_end.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstring>

namespace tpuwh::server::kube::decode {
namespace {

constexpr std::size_t block_size = 64;

using Bits = std::uint64_t;  // one of each byte of a block
using Bytes = std::uint8_t __attribute__((vector_size(16)));

Bytes all(char c) {
  return Bytes{} + static_cast<std::uint8_t>(c);
}

// The bits of bytes that are 0 or 255.
#if defined(__SSE2__)
Bits bits_of(Bytes bytes) {
  return static_cast<std::uint16_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(bytes)));
}
#else
Bits bits_of(Bytes bytes) {
  constexpr Bytes weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  std::array<Bits, 2> halves;
  const Bytes weighted = bytes & weights;
  std::memcpy(halves.data(), &weighted, sizeof weighted);
  const auto sum = [](Bits half) { return half * 0x0101010101010101u >> 56; };
  return sum(halves[0]) | sum(halves[1]) << 8;
}
#endif

struct Block {
  Bits quotes = 0, backslashes = 0, opening = 0, closing = 0;
};

Block look_at(const char* bytes) {
  Block block;
#pragma GCC unroll 4
  for (unsigned at = 0; at < block_size; at += sizeof(Bytes)) {
    Bytes part;
    std::memcpy(&part, bytes + at, sizeof part);
    const auto where = [at](auto equal) { return bits_of(reinterpret_cast<Bytes>(equal)) << at; };
    const Bytes curly = part | all('{' ^ '[');  // brackets differ from braces by one bit
    block.quotes |= where(part == all('"'));
    block.backslashes |= where(part == all('\\'));
    block.opening |= where(curly == all('{'));
    block.closing |= where(curly == all('}'));
  }
  return block;
}

// Each bit with all below it: set from an odd one to the next.
Bits odd_to_even(Bits bits) {
#pragma GCC unroll 6
  for (unsigned by = 1; by < block_size; by *= 2) bits ^= bits << by;
  return bits;
}

// What stands behind a backslash that is not escaped itself. `carried`: the block's first byte
// does; and then, whether the next one's does.
Bits escaped_bits(Bits backslashes, std::size_t size, bool& carried) {
  Bits escaped = carried ? 1 : 0;
  carried = false;
  for (; backslashes != 0; backslashes &= backslashes - 1) {
    const auto at = static_cast<unsigned>(std::countr_zero(backslashes));
    if ((escaped >> at & 1u) != 0) continue;
    if (at + 1 == size)
      carried = true;
    else
      escaped |= Bits{2} << at;
  }
  return escaped;
}

}  // namespace

// The first `size` bytes of a block, of which the others are 0.
std::size_t ValueEnd::take_block(const char* bytes, std::size_t size) {
  const Block block = look_at(bytes);
  const Bits strings =
      odd_to_even(block.quotes & ~escaped_bits(block.backslashes, size, escaped_)) ^
      (in_string_ ? ~Bits{0} : 0);
  in_string_ = (strings >> (size - 1) & 1u) != 0;
  for (Bits left = (block.opening | block.closing) & ~strings; left != 0; left &= left - 1) {
    const auto at = static_cast<unsigned>(std::countr_zero(left));
    if ((block.opening >> at & 1u) != 0)
      ++depth_;
    else if (reached_ = --depth_ == 0; reached_)
      return at + 1;
  }
  return size;
}

std::size_t ValueEnd::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (!reached_ && bytes.size() - taken >= block_size)
    taken += take_block(bytes.data() + taken, block_size);
  if (const std::size_t rest = bytes.size() - taken; !reached_ && rest > 0) {
    std::array<char, block_size> block{};
    std::memcpy(block.data(), bytes.data() + taken, rest);
    taken += take_block(block.data(), rest);
  }
  return taken;
}

}  // namespace tpuwh::server::kube::decode
