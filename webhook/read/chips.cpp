#include "webhook/read/chips.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "base/quantity_scale.hpp"

#include <limits>

namespace tpuwh::webhook::read {

namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 53;

// Digits before and after the point, as one whole number times 10^-fraction. Zeros at
// the end of the fraction say nothing and are left out.
struct Digits {
  std::uint64_t value = 0;
  int fraction = 0;
  bool any = false;
  bool too_many = false;
};

Digits read_digits(std::string_view& text) {
  Digits out;
  bool after_point = false;
  const auto take = [&](unsigned digit) {
    if (out.value > largest)
      out.too_many = true;
    else
      out.value = out.value * 10 + digit;
    if (after_point) ++out.fraction;
  };
  int zeros = 0;  // after the point, not yet counted
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    out.any = true;
    if (after_point && c == '0') {
      ++zeros;
      continue;
    }
    for (; zeros > 0; --zeros) take(0);
    take(static_cast<unsigned>(c - '0'));
  }
  text.remove_prefix(at);
  return out;
}

using ChipCount = boost::system::result<std::uint64_t, NotChips>;

ChipCount any_chip_count(std::string_view text) {
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
  Digits digits = read_digits(rest);
  const auto scale = base::quantity_scale(rest);
  if (!digits.any || !scale)
    return NotChips{text,
                    "is not a quantity; google.com/tpu must be a whole number of chips, such as 4"};
  if (digits.value == 0 && !digits.too_many) return std::uint64_t{0};
  if (negative)
    return NotChips{text, "is negative; google.com/tpu must be a whole number of chips"};

  std::uint64_t value = digits.value;
  const auto whole = [&](std::uint64_t factor, long times) {
    for (; times > 0; --times) {
      if (value > largest / factor) return false;
      value *= factor;
    }
    return true;
  };
  const std::string_view too_large = "is more chips than any slice has";
  if (digits.too_many || !whole(2, scale->twos)) return NotChips{text, too_large};
  long tens = static_cast<long>(scale->tens) - digits.fraction;
  for (; tens < 0; ++tens) {
    if (value % 10 != 0)
      return NotChips{text, "is not a whole number; google.com/tpu counts whole chips"};
    value /= 10;
  }
  if (!whole(10, tens) || value > largest) return NotChips{text, too_large};
  return value;
}

}  // namespace

std::string NotChips::message() const {
  return base::concat({"\"", base::printable(text), "\" ", why});
}

ChipCount chip_count(std::string_view text) {
  // As nearly every Pod has it.
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '9')
    return static_cast<std::uint64_t>(text[0] - '0');
  return any_chip_count(text);
}

}  // namespace tpuwh::webhook::read
