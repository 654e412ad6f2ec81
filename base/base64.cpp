#include "base/base64.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tpuwh::base {

namespace {

constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes make four characters, looked up two at a time: 12 bits each.
using Pairs = std::array<std::array<char, 2>, 4096>;
constexpr Pairs make_pairs() {
  Pairs pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {alphabet[i >> 6], alphabet[i & 63]};
  return pairs;
}
constexpr Pairs pairs = make_pairs();

unsigned byte_at(const char* at) {
  return static_cast<unsigned char>(*at);
}

void encode_portable(const char* from, std::size_t size, char* to) {
  for (; size >= 3; size -= 3, from += 3, to += 4) {
    const unsigned bits = byte_at(from) << 16 | byte_at(from + 1) << 8 | byte_at(from + 2);
    std::memcpy(to, pairs[bits >> 12].data(), 2);
    std::memcpy(to + 2, pairs[bits & 0xfff].data(), 2);
  }
  if (size == 0) return;
  const unsigned bits = byte_at(from) << 16 | (size == 2 ? byte_at(from + 1) << 8 : 0);
  std::memcpy(to, pairs[bits >> 12].data(), 2);
  to[2] = size == 2 ? alphabet[bits >> 6 & 63] : '=';
  to[3] = '=';
}

#if defined(__x86_64__)
// 24 bytes to 32 characters: of each half of the register 12 to 16. In `in` they stand in the
// middle, four bytes from either end. Each 32-bit lane gets the bytes b a c b of one triple; two
// multiplications shift its four 6-bit parts into place; the parts become characters by adding an
// offset that depends on their range: 0 for upper case, 1 for lower case, 2 to 11 for digits, 12
// and 13 for '+' and '/'.
__attribute__((target("avx2"))) inline void encode_24(__m256i in, char* to) {
  const __m256i spread =
      _mm256_setr_epi8(5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14,  //
                       1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
  const __m256i offsets =
      _mm256_setr_epi8('A', 'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                       '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 0, 0,  //
                       'A', 'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                       '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 0, 0);
  in = _mm256_shuffle_epi8(in, spread);
  const __m256i high = _mm256_mulhi_epu16(_mm256_and_si256(in, _mm256_set1_epi32(0x0fc0fc00)),
                                          _mm256_set1_epi32(0x04000040));
  const __m256i low = _mm256_mullo_epi16(_mm256_and_si256(in, _mm256_set1_epi32(0x003f03f0)),
                                         _mm256_set1_epi32(0x01000010));
  const __m256i parts = _mm256_or_si256(high, low);
  const __m256i above = _mm256_subs_epu8(parts, _mm256_set1_epi8(51));
  const __m256i not_upper = _mm256_cmpgt_epi8(parts, _mm256_set1_epi8(25));  // -1 where it is so
  const __m256i range = _mm256_sub_epi8(above, not_upper);
  const __m256i text = _mm256_add_epi8(parts, _mm256_shuffle_epi8(offsets, range));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), text);
}

__attribute__((target("avx2"))) inline __m256i load_32(const char* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

constexpr std::size_t fewest = 34;  // bytes for encode_avx2()

// Nearly all of them; how many is returned, whole groups.
__attribute__((target("avx2"))) std::size_t encode_avx2(const char* from, std::size_t size,
                                                        char* to) {
  // Nothing stands in front of the first byte that may be read.
  const __m256i first = load_32(from);
  encode_24(_mm256_permutevar8x32_epi32(first, _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6)), to);
  const std::size_t last = (size - 28) / 3 * 3;  // where a step can begin
  char* into = to + 32;
  for (const char* at = from + 24; at < from + last; at += 24, into += 32)
    encode_24(load_32(at - 4), into);
  // Once more for all but the last few bytes, of which some are done a second time.
  encode_24(load_32(from + last - 4), to + last / 3 * 4);
  return last + 24;
}
#endif

}  // namespace

void append_base64(Buffer& out, std::string_view bytes) {
  const std::size_t length = (bytes.size() + 2) / 3 * 4;
  out.reserve(length);
  const char* from = bytes.data();
  std::size_t left = bytes.size();
  char* to = out.tail();
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2 && left >= fewest) {
    const std::size_t done = encode_avx2(from, left, to);
    from += done;
    left -= done;
    to += done / 3 * 4;
  }
#endif
  encode_portable(from, left, to);
  out.commit(length);
}

}  // namespace tpuwh::base
