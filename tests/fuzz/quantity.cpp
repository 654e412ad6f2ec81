#include "tests/fuzz/targets.hpp"
#include "webhook/read/chips.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace tpuwh::fuzz {

namespace {

__extension__ using Wide = unsigned __int128;

// mantissa * 10^tens * 2^twos, written by its own rules: the second opinion.
struct Reading {
  std::uint64_t mantissa = 0;
  int tens = 0, twos = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// False where the text is longer than this reader cares for, or no quantity.
bool read(std::string_view text, Reading& out) {
  constexpr std::size_t longest = 12;
  if (text.size() > longest || text.empty()) return false;
  if (text.front() == '+') text.remove_prefix(1);
  bool point = false;
  std::size_t digits = 0;
  for (; !text.empty() && (is_digit(text.front()) || (text.front() == '.' && !point));
       text.remove_prefix(1)) {
    if (text.front() == '.') {
      point = true;
      continue;
    }
    out.mantissa = out.mantissa * 10 + static_cast<unsigned>(text.front() - '0');
    out.tens -= point;
    ++digits;
  }
  if (digits == 0) return false;
  if (text.empty()) return true;
  constexpr std::string_view binary = "KMGTPE", decimal = "num kMGTPE";
  if (text.size() == 2 && text[1] == 'i' && binary.find(text[0]) != std::string_view::npos) {
    out.twos = 10 * (1 + static_cast<int>(binary.find(text[0])));
    return true;
  }
  if (text.size() == 1 && text[0] != ' ' && decimal.find(text[0]) != std::string_view::npos) {
    out.tens += 3 * (static_cast<int>(decimal.find(text[0])) - 3);
    return true;
  }
  if (text.size() < 2 || (text[0] | 0x20) != 'e') return false;
  text.remove_prefix(text[1] == '+' && text.substr(2, 1) != "-" ? 2 : 1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  out.tens += exponent;
  return exponent > -30 && exponent < 30;
}

// Nothing but a whole number below 2^100 is `whole`.
bool whole(const Reading& reading, Wide& out) {
  constexpr Wide limit = Wide{1} << 100;
  out = reading.mantissa;
  if (out == 0) return true;
  for (int i = 0; i < reading.twos; ++i) out *= 2;
  for (int i = reading.tens; i < 0; ++i) {
    if (out % 10 != 0) return false;
    out /= 10;
  }
  for (int i = 0; i < reading.tens; ++i) {
    if (out > limit / 10) return false;
    out *= 10;
  }
  return true;
}

}  // namespace

void quantity(std::string_view bytes) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 53;
  constexpr std::uint64_t ordinary = 1'000'000;
  const auto chips = webhook::read::chip_count(bytes);
  if (chips) require(*chips <= largest, "more than 2^53");
  if (!chips) require_sentence(chips.error().message());
  Reading reading;
  Wide value = 0;
  if (!read(bytes, reading)) return;
  if (!whole(reading, value)) return require(!chips, "no whole number, taken as one");
  if (chips) require(*chips == value, "another number: " + std::to_string(*chips));
  const bool plain = reading.twos == 0 && value <= ordinary;
  require(chips || !plain, "refused: " + chips.error().message());
}

}  // namespace tpuwh::fuzz
