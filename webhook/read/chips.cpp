#include "webhook/read/chips.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "base/quantity.hpp"

namespace tpuwh::webhook::read {

namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 53;

using ChipCount = boost::system::result<std::uint64_t, NotChips>;

ChipCount any_chip_count(std::string_view text) {
  const auto quantity = base::quantity(text);
  if (!quantity)
    return NotChips{text,
                    "is not a quantity; google.com/tpu must be a whole number of chips, such as 4"};
  // Zeros at the end of the fraction say nothing.
  const std::string_view fraction =
      quantity->fraction.substr(0, quantity->fraction.find_last_not_of('0') + 1);
  std::uint64_t value = 0;
  bool too_many = false;
  for (const std::string_view digits : {quantity->whole, fraction})
    for (const char digit : digits) {
      if (value > largest)
        too_many = true;
      else
        value = value * 10 + static_cast<unsigned>(digit - '0');
    }
  if (value == 0) return std::uint64_t{0};
  if (quantity->negative)
    return NotChips{text, "is negative; google.com/tpu must be a whole number of chips"};

  const auto whole = [&](std::uint64_t factor, long times) {
    for (; times > 0; --times) {
      if (value > largest / factor) return false;
      value *= factor;
    }
    return true;
  };
  const std::string_view too_large = "is more chips than any slice has";
  if (too_many || !whole(2, quantity->scale.twos)) return NotChips{text, too_large};
  long tens = quantity->scale.tens - static_cast<long>(fraction.size());
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
