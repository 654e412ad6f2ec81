#include "webhook/write/json.hpp"

#include "webhook/text/characters.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tpuwh::webhook::write {

namespace {

constexpr text::Characters needs_no_escape =
    text::characters([](char c) { return !is_special(c); });

std::size_t clean_length_bytewise(std::string_view text) {
  return text::count_leading(needs_no_escape, text);
}

#if defined(__SSE2__)
// Of 16 bytes, 0xff where one is special.
__m128i specials_of(__m128i bytes) {
  const __m128i last_control = _mm_set1_epi8(0x1f);
  return _mm_or_si128(_mm_cmpeq_epi8(_mm_max_epu8(bytes, last_control), last_control),
                      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
}

__m128i load(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

// Where the first of these 16 bytes stands that needs an escape; 16 for none.
unsigned clean_of(__m128i bytes) {
  return static_cast<unsigned>(
      std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(specials_of(bytes))) | 0x10000u));
}

// The first and the last `Word` of a text of one to two of them.
template <class Word>
std::pair<Word, Word> ends_of(std::string_view text) {
  Word first = 0, last = 0;
  std::memcpy(&first, text.data(), sizeof first);
  std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
  return {first, last};
}

// Whether 4 to 15 bytes, of which some are looked at twice, need no escape.
bool is_short_and_clean(std::string_view text) {
  if (text.size() < 4) return false;
  if (text.size() < 8) {
    const auto [first, last] = ends_of<std::uint32_t>(text);
    return clean_of(_mm_set1_epi64x(static_cast<long long>(std::uint64_t{last} << 32 | first))) ==
           16;
  }
  const auto [first, last] = ends_of<std::uint64_t>(text);
  return clean_of(_mm_set_epi64x(static_cast<long long>(last), static_cast<long long>(first))) ==
         16;
}

// Bytes in front of the first that needs it. The last step may look at bytes for a second time.
std::size_t clean_length(std::string_view text) {
  constexpr std::size_t step = 16;
  if (text.size() < step)
    return is_short_and_clean(text) ? text.size() : clean_length_bytewise(text);
  for (std::size_t at = 0;; at = std::min(at + step, text.size() - step)) {
    const unsigned clean = clean_of(load(text.data() + at));
    if (clean < step || at + step == text.size()) return at + clean;
  }
}
#else
std::size_t clean_length(std::string_view text) {
  return clean_length_bytewise(text);
}
#endif

}  // namespace

#if defined(__SSE2__)
namespace {

// 32 bytes at a time, of a text of so many steps; a byte counts to 255.
__attribute__((target("avx2"))) std::size_t count_special_avx2(const char* at, std::size_t steps) {
  const __m256i last_control = _mm256_set1_epi8(0x1f), zero = _mm256_setzero_si256();
  std::size_t count = 0;
  while (steps > 0) {
    __m256i counts = zero;
    for (std::size_t left = std::min<std::size_t>(steps, 255); left > 0;
         --left, --steps, at += 32) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
      const __m256i found =
          _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(bytes, last_control), last_control),
                          _mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')),
                                          _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'))));
      counts = _mm256_sub_epi8(counts, found);
    }
    const __m256i sums = _mm256_sad_epu8(counts, zero);
    const __m128i both =
        _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    count += static_cast<std::size_t>(_mm_cvtsi128_si64(both)) +
             static_cast<std::size_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both)));
  }
  return count;
}

// Of 16 bytes, those from the n-th on.
std::size_t count_last_of_16(const char* at, std::size_t from) {
  const auto found = static_cast<unsigned>(_mm_movemask_epi8(specials_of(load(at))));
  return static_cast<std::size_t>(std::popcount(found >> from));
}

}  // namespace

std::size_t count_special(std::string_view text) {
  constexpr std::size_t step = 16, wide = 32;
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (text.size() < step) return count_special_bytewise(text);
  const char* at = text.data();
  const char* const end = at + text.size();
  std::size_t count = 0;
  if (has_avx2 && text.size() >= wide) {
    count = count_special_avx2(at, text.size() / wide);
    at += text.size() / wide * wide;
  }
  for (; end - at >= static_cast<std::ptrdiff_t>(step); at += step)
    count += count_last_of_16(at, 0);
  if (at == end) return count;
  return count + count_last_of_16(end - step, step - static_cast<std::size_t>(end - at));
}
#else
std::size_t count_special(std::string_view text) {
  return count_special_bytewise(text);
}
#endif

Json& Json::operator<<(AsString whole) {
  const std::string_view text = whole.text;
  const std::size_t clean = clean_length(text);
  special_ += 2;
  if (clean == text.size()) {
    out_.add('"', text, '"');
    return *this;
  }
  out_.append('"');
  append_escaped(text, clean);
  out_.append('"');
  return *this;
}

Json& Json::operator<<(InString part) {
  const std::size_t clean = clean_length(part.text);
  if (clean == part.text.size())
    out_.append(part.text);
  else
    append_escaped(part.text, clean);
  return *this;
}

// `clean`: bytes in front of the first that needs it.
void Json::append_escaped(std::string_view text, std::size_t clean) {
  constexpr char hex[] = "0123456789abcdef";
  for (;; clean = clean_length(text)) {
    out_.append(text.substr(0, clean));
    if (clean == text.size()) return;
    const auto c = static_cast<unsigned char>(text[clean]);
    if (c == '"' || c == '\\') {
      out_.add('\\', text[clean]);
      special_ += 2;
    } else {
      out_.add("\\u00", hex[c >> 4], hex[c & 0xf]);
      special_ += 1;
    }
    text.remove_prefix(clean + 1);
  }
}

}  // namespace tpuwh::webhook::write
