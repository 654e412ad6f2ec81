#include "base/hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tpuwh::base {

namespace {

__extension__ using Word128 = unsigned __int128;

// Little-endian on every machine: the digests stand in objects.
std::uint64_t word_at(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// The bytes behind the last whole word, fewer than a word, of a value of so many bytes.
std::uint64_t last_word(const char* from, std::size_t bytes, std::size_t of) {
  if (of >= 8) return word_at(from + bytes - 8) >> (8 * (8 - bytes));
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    word |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
  return word;
}

// Eight digits at a time: each 4 bits to a byte, which becomes '0' to '9' or 'a' to 'f'.
std::array<char, 8> to_hex(std::uint32_t value) {
  std::uint64_t digits = value;
  digits = (digits << 16 | digits) & 0x0000'ffff'0000'ffffu;
  digits = (digits << 8 | digits) & 0x00ff'00ff'00ff'00ffu;
  digits = (digits << 4 | digits) & 0x0f0f'0f0f'0f0f'0f0fu;
  constexpr std::uint64_t each = 0x0101'0101'0101'0101u;
  const std::uint64_t letters = (digits + 6 * each) >> 4 & each;  // 1 where it is above 9
  digits += '0' * each + ('a' - '0' - 10) * letters;
  if constexpr (std::endian::native == std::endian::little) digits = __builtin_bswap64(digits);
  std::array<char, 8> out;
  std::memcpy(out.data(), &digits, out.size());
  return out;
}

std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  state = (state ^ word) * golden;
  return state ^ (state >> 29);
}

}  // namespace

Hash hash(std::span<const std::string_view> parts) {
  // FNV-1a parameters for 128 bits: draft-eastlake-fnv.
  const Word128 prime = (Word128{1} << 88) + 0x13b;
  Word128 state = (Word128{0x6c62272e07bb0142u} << 64) + 0x62b821756295c58du;
  const auto take = [&](unsigned char byte) { state = (state ^ byte) * prime; };
  for (const std::string_view part : parts) {
    for (const char c : part) take(static_cast<unsigned char>(c));
    take(0);
  }
  Hash key;
  for (std::size_t i = 0; i < 4; ++i)
    std::ranges::copy(to_hex(static_cast<std::uint32_t>(state >> (96 - 32 * i))), &key[8 * i]);
  return key;
}

Digester& Digester::add(std::string_view value) {
  std::uint64_t state = mix(state_, value.size());
  const char* at = value.data();
  std::size_t left = value.size();
  for (; left >= 8; left -= 8, at += 8) state = mix(state, word_at(at));
  if (left > 0) state = mix(state, last_word(at, left, value.size()));
  state_ = state;
  return *this;
}

Digester& Digester::add(std::uint64_t value) {
  state_ = mix(state_, value);
  return *this;
}

Digest Digester::digest() const {
  const std::uint64_t folded = mix(mix(state_, 0), state_ >> 32);
  return to_hex(static_cast<std::uint32_t>(folded >> 32));
}

Digest digest(std::string_view value) {
  return Digester().add(value).digest();
}

}  // namespace tpuwh::base
