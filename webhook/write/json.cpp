#include "webhook/write/json.hpp"

#include "webhook/text/characters.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

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

// 8 to 15 bytes, and the last of them again: all 16 are of the text.
__m128i load_short(std::string_view text) {
  std::uint64_t first = 0, last = 0;
  std::memcpy(&first, text.data(), sizeof first);
  std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
  return _mm_set_epi64x(static_cast<long long>(last), static_cast<long long>(first));
}

// Bytes in front of the first that needs it. The last step may look at bytes for a second time.
std::size_t clean_length(std::string_view text) {
  constexpr std::size_t step = 16;
  if (text.size() < step) {
    if (text.size() >= 8 && clean_of(load_short(text)) == step) return text.size();
    return clean_length_bytewise(text);
  }
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

// Of bytes that are each a count.
std::size_t sum_of(__m128i counts) {
  const __m128i sums = _mm_sad_epu8(counts, _mm_setzero_si128());
  return static_cast<std::size_t>(_mm_cvtsi128_si64(sums)) +
         static_cast<std::size_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
}

// 16 bytes from its n-th on: 0 in all but the last n, which are 1.
alignas(16) constexpr char last_ones[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

}  // namespace

std::size_t count_special(std::string_view text) {
  constexpr std::size_t step = 16, most_steps = 255;  // so far a byte counts
  if (text.size() < step) return count_special_bytewise(text);
  std::size_t count = 0, rest = text.size();
  for (const char* at = text.data(); rest >= step;) {
    const std::size_t steps = std::min(rest / step, most_steps);
    __m128i counts = _mm_setzero_si128();
    for (const char* const end = at + steps * step; at != end; at += step)
      counts = _mm_sub_epi8(counts, specials_of(load(at)));
    count += sum_of(counts);
    rest -= steps * step;
  }
  const __m128i last = specials_of(load(text.data() + text.size() - step));
  return count + sum_of(_mm_and_si128(last, load(last_ones + rest)));
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
