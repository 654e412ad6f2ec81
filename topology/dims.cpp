#include "topology/dims.hpp"

#include "topology/errc.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace tpuwh::topology {
namespace {

// What can be wrong with a topology string; each has a sentence of its own.
enum class Fault { none, form, blank, zero, negative, too_large, upper_case, leading_zero };

struct Axis {
  std::uint32_t length = 0;
  Fault fault = Fault::none;
};

struct Scan {
  std::array<std::uint32_t, 3> axes{1, 1, 1};
  unsigned rank = 0;
  Fault fault = Fault::none;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_cross(char c) {
  return c == 'x' || c == 'X';
}

Axis read_axis(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = negative ? text.substr(1) : text;
  if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return {.fault = Fault::form};
  if (negative) return {.fault = Fault::negative};

  std::uint32_t length = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (status != std::errc{} || length > Dims::max_axis) return {.fault = Fault::too_large};
  if (length == 0) return {.fault = Fault::zero};
  return {.length = length};
}

// Reads "4X4" and "04x4" too: that they are misspelled is said by `misspelling`,
// once it is known which spelling to recommend.
Scan scan(std::string_view text) {
  if (std::ranges::any_of(text, is_blank)) return {.fault = Fault::blank};
  Scan result;
  while (true) {
    const auto cross = std::ranges::find_if(text, is_cross);
    const Axis axis = read_axis({text.begin(), cross});
    if (axis.fault != Fault::none) return {.fault = axis.fault};
    if (result.rank == result.axes.size()) return {.fault = Fault::form};
    result.axes[result.rank++] = axis.length;
    if (cross == text.end()) break;
    text = {cross + 1, text.end()};
  }
  if (result.rank < 2) result.fault = Fault::form;
  return result;
}

// Whether a text that scan() could read is spelled as node labels are.
Fault misspelling(std::string_view text) {
  if (text.find('X') != std::string_view::npos) return Fault::upper_case;
  const bool leading_zero = text.front() == '0' || text.find("x0") != std::string_view::npos;
  return leading_zero ? Fault::leading_zero : Fault::none;
}

// The text for a message: it can be an annotation, so any bytes of any length.
std::string quoted(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string result = "\"";
  for (const char c : text.substr(0, shown)) result += (c >= ' ' && c <= '~') ? c : '?';
  if (text.size() > shown) result += "...";
  return result + '"';
}

Error fault_error(Fault fault, std::string_view text) {
  const std::string topology = "topology " + quoted(text);
  switch (fault) {
    case Fault::blank:
      return Error(Errc::dims_malformed,
                   topology + " contains a blank; write it without, such as 2x4 or 2x2x2");
    case Fault::zero:
      return Error(Errc::dims_zero, topology + " has an axis of 0; each needs at least 1 chip");
    case Fault::negative:
      return Error(Errc::dims_negative,
                   topology + " has a negative axis; each needs at least 1 chip");
    case Fault::too_large:
      return Error(Errc::dims_too_large, topology + " has an axis of more than " +
                                             std::to_string(Dims::max_axis) +
                                             " chips; no TPU slice is that large");
    default:
      return Error(Errc::dims_malformed,
                   topology + " is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2");
  }
}

Error spelling_error(Fault fault, std::string_view text, const Dims& dims) {
  const bool upper_case = fault == Fault::upper_case;
  return Error(upper_case ? Errc::dims_upper_case : Errc::dims_malformed,
               "topology " + quoted(text) + " has " +
                   (upper_case ? "an upper-case X" : "a leading zero") +
                   ", but no node has such a label; write " + dims.text());
}

}  // namespace

Result<Dims> Dims::parse(std::string_view text) {
  if (text.empty()) {
    return Error(Errc::dims_empty,
                 "the topology is empty; write AxB or AxBxC, such as 2x4 or 2x2x2");
  }
  const Scan read = scan(text);
  if (read.fault != Fault::none) return fault_error(read.fault, text);

  const auto [a, b, c] = read.axes;
  const Dims dims = read.rank == 2 ? Dims(a, b) : Dims(a, b, c);
  if (dims.chips() > max_product) {
    return Error(Errc::dims_too_large, "topology " + quoted(text) + " is " +
                                           std::to_string(dims.chips()) +
                                           " chips; the maximum is " + std::to_string(max_product));
  }
  const Fault spelling = misspelling(text);
  if (spelling != Fault::none) return spelling_error(spelling, text, dims);
  return dims;
}

bool Dims::divisible_by(const Dims& part) const {
  for (unsigned i = 0; i < axes_.size(); ++i) {
    if (part.axes_[i] == 0 || axes_[i] % part.axes_[i] != 0) return false;
  }
  return true;
}

bool Dims::fits_in(const Dims& outer) const {
  return rank_ == outer.rank_ && std::ranges::equal(axes_, outer.axes_, std::less_equal{});
}

bool Dims::nondecreasing() const {
  return std::is_sorted(axes_.begin(), axes_.begin() + rank_);
}

std::string Dims::text() const {
  std::string result;
  for (unsigned i = 0; i < rank_; ++i) {
    if (i > 0) result += 'x';
    result += std::to_string(axes_[i]);
  }
  return result;
}

}  // namespace tpuwh::topology
