#include "webhook/text/hash.hpp"

#include <bit>
#include <cstring>

namespace tpuwh::webhook::text {

namespace {

__extension__ using Word128 = unsigned __int128;

constexpr char hex[] = "0123456789abcdef";

template <std::size_t N, class Word>
std::array<char, N> to_hex(Word value) {
  std::array<char, N> out{};
  for (std::size_t i = 0; i < N; ++i)
    out[N - 1 - i] = hex[static_cast<unsigned>(value >> (4 * i)) & 0xfu];
  return out;
}

// Little-endian on every machine: the digests stand in objects.
std::uint64_t word_at(const char* from, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  state = (state ^ word) * golden;
  return state ^ (state >> 29);
}

}  // namespace

SliceKey slice_key(std::span<const std::string_view> parts) {
  // FNV-1a parameters for 128 bits: draft-eastlake-fnv.
  const Word128 prime = (Word128{1} << 88) + 0x13b;
  Word128 state = (Word128{0x6c62272e07bb0142u} << 64) + 0x62b821756295c58du;
  const auto take = [&](unsigned char byte) { state = (state ^ byte) * prime; };
  for (const std::string_view part : parts) {
    for (const char c : part) take(static_cast<unsigned char>(c));
    take(0);
  }
  return to_hex<32>(state);
}

Digester& Digester::add(std::string_view value) {
  std::uint64_t state = mix(state_, value.size());
  const char* at = value.data();
  std::size_t left = value.size();
  for (; left >= 8; left -= 8, at += 8) state = mix(state, word_at(at, 8));
  if (left > 0) state = mix(state, word_at(at, left));
  state_ = state;
  return *this;
}

Digester& Digester::add(std::uint64_t value) {
  state_ = mix(state_, value);
  return *this;
}

Digest Digester::digest() const {
  const std::uint64_t folded = mix(mix(state_, 0), state_ >> 32);
  return to_hex<8>(folded >> 32);
}

Digest digest(std::string_view value) {
  return Digester().add(value).digest();
}

}  // namespace tpuwh::webhook::text
