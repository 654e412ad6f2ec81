#include "webhook/write/json.hpp"

#include "base/characters.hpp"

#include <algorithm>
#include <bit>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tpuwh::webhook::write {

namespace {

constexpr base::Characters needs_no_escape =
    base::characters([](char c) { return !is_special(c); });

std::size_t clean_length_bytewise(std::string_view text) {
  return base::count_leading(needs_no_escape, text);
}

#if defined(__SSE2__)
// Of 16 bytes, 0xff where one is special. A quote and a space differ in the second bit alone, so
// with it turned over the quote is behind the last control character, and the space is not.
__m128i specials_of(__m128i bytes) {
  const __m128i last = _mm_set1_epi8(0x20);
  const __m128i turned = _mm_xor_si128(bytes, _mm_set1_epi8(0x02));
  return _mm_or_si128(_mm_cmpeq_epi8(_mm_max_epu8(turned, last), last),
                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
}

__m128i load(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

// Where the first of these 16 bytes stands that needs an escape; 16 for none.
unsigned clean_of(__m128i bytes) {
  return static_cast<unsigned>(
      std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(specials_of(bytes))) | 0x10000u));
}

// Bytes in front of the first that needs an escape. The last step may look at bytes for a second
// time.
std::size_t clean_length(std::string_view text) {
  constexpr std::size_t step = 16;
  if (text.size() < step) return clean_length_bytewise(text);
  for (std::size_t at = 0;; at = std::min(at + step, text.size() - step)) {
    const unsigned clean = clean_of(load(text.data() + at));
    if (clean < step || at + step == text.size()) return at + clean;
  }
}

// 4 and 8 bytes; the others are 0, which is special.
struct Word4 {
  static constexpr std::size_t size = 4;
  static __m128i load(const char* at) { return _mm_loadu_si32(at); }
  static void store(char* to, __m128i bytes) { _mm_storeu_si32(to, bytes); }
  static __m128i both(__m128i first, __m128i last) {
    const __m128i two = _mm_unpacklo_epi32(first, last);
    return _mm_unpacklo_epi64(two, two);
  }
};
struct Word8 {
  static constexpr std::size_t size = 8;
  static __m128i load(const char* at) { return _mm_loadu_si64(at); }
  static void store(char* to, __m128i bytes) { _mm_storeu_si64(to, bytes); }
  static __m128i both(__m128i first, __m128i last) { return _mm_unpacklo_epi64(first, last); }
};

// A text of one to two words: both ends, which may overlap.
template <class Word>
bool copy_ends_if_clean(char* to, std::string_view text) {
  const std::size_t last = text.size() - Word::size;
  const __m128i front = Word::load(text.data()), back = Word::load(text.data() + last);
  Word::store(to, front);
  Word::store(to + last, back);
  return _mm_movemask_epi8(specials_of(Word::both(front, back))) == 0;
}

// Copies `text`, and says whether nothing in it needs an escape.
bool copy_if_clean(char* to, std::string_view text) {
  constexpr std::size_t step = 16;
  if (text.size() < Word4::size) {
    std::copy(text.begin(), text.end(), to);
    return count_special_bytewise(text) == 0;
  }
  if (text.size() < Word8::size) return copy_ends_if_clean<Word4>(to, text);
  if (text.size() < step) return copy_ends_if_clean<Word8>(to, text);
  __m128i found = _mm_setzero_si128();
  const auto copy = [&](std::size_t at) {
    const __m128i bytes = load(text.data() + at);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), bytes);
    found = _mm_or_si128(found, specials_of(bytes));
  };
  const std::size_t last = text.size() - step;
  for (std::size_t at = 0; at < last; at += step) copy(at);
  copy(last);
  return _mm_movemask_epi8(found) == 0;
}
#else
std::size_t clean_length(std::string_view text) {
  return clean_length_bytewise(text);
}

bool copy_if_clean(char* to, std::string_view text) {
  std::copy(text.begin(), text.end(), to);
  return count_special_bytewise(text) == 0;
}
#endif

}  // namespace

#if defined(__SSE2__)
namespace {

// Of 32 bytes, 0xff where one is special.
__attribute__((target("avx2"))) inline __m256i specials_of(__m256i bytes) {
  const __m256i last = _mm256_set1_epi8(0x20);
  const __m256i turned = _mm256_xor_si256(bytes, _mm256_set1_epi8(0x02));
  return _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(turned, last), last),
                         _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\')));
}

__attribute__((target("avx2"))) inline __m256i load_32(const char* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

// Of a text of at least 32 bytes.
__attribute__((target("avx2,popcnt"))) std::size_t count_special_avx2(std::string_view text) {
  constexpr std::size_t step = 32, most_counted = 254;  // in a byte, two steps at a time
  const __m256i zero = _mm256_setzero_si256();
  const char* at = text.data();
  std::size_t steps = text.size() / step, count = 0;
  while (steps > 0) {
    __m256i counts = zero;
    std::size_t left = std::min(steps, most_counted);
    steps -= left;
    for (; left >= 2; left -= 2, at += 2 * step)
      counts = _mm256_sub_epi8(
          counts, _mm256_add_epi8(specials_of(load_32(at)), specials_of(load_32(at + step))));
    if (left > 0) {
      counts = _mm256_sub_epi8(counts, specials_of(load_32(at)));
      at += step;
    }
    const __m256i sums = _mm256_sad_epu8(counts, zero);
    const __m128i both =
        _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    count += static_cast<std::size_t>(_mm_cvtsi128_si64(both)) +
             static_cast<std::size_t>(_mm_extract_epi64(both, 1));
  }
  // The last 32 bytes without those that were counted.
  const std::size_t rest = text.size() % step;
  if (rest == 0) return count;
  const auto found = static_cast<unsigned>(
      _mm256_movemask_epi8(specials_of(load_32(text.data() + text.size() - step))));
  return count + static_cast<std::size_t>(std::popcount(found >> (step - rest)));
}

}  // namespace

std::size_t count_special(std::string_view text) {
  static const bool has_avx2 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("popcnt") != 0;
  return has_avx2 && text.size() >= 32 ? count_special_avx2(text) : count_special_bytewise(text);
}
#else
std::size_t count_special(std::string_view text) {
  return count_special_bytewise(text);
}
#endif

Json& Json::operator<<(AsString whole) {
  const std::string_view text = whole.text;
  special_ += 2;
  out_.reserve(text.size() + 2);
  char* const to = out_.tail();
  *to = '"';
  if (copy_if_clean(to + 1, text)) {
    to[1 + text.size()] = '"';
    out_.commit(text.size() + 2);
    return *this;
  }
  out_.commit(1);
  append_escaped(text);
  out_.append('"');
  return *this;
}

Json& Json::operator<<(InString part) {
  out_.reserve(part.text.size());
  if (copy_if_clean(out_.tail(), part.text))
    out_.commit(part.text.size());
  else
    append_escaped(part.text);
  return *this;
}

void Json::append_escaped(std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  for (;;) {
    const std::size_t clean = clean_length(text);
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
