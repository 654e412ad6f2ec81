// The dimensions of a slice: "4x4", "2x2x1". They count chips along each axis.
#pragma once

#include "base/result.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tpuwh::topology {

class Dims {
 public:
  // No axis and no dimension product above this is accepted. The largest pod
  // announced has 9,600 chips (TPU 8t, catalog "announced_without_gke_support");
  // 1,048,576 leaves two orders of magnitude and keeps every product in 64 bits.
  static constexpr std::uint32_t max_axis = 1u << 20;
  static constexpr std::uint64_t max_product = 1u << 20;

  // Rank 0, product 1; and shapes from our own code, which nothing checks:
  // what a user wrote goes through parse().
  constexpr Dims() = default;
  constexpr Dims(std::uint32_t a, std::uint32_t b) : axes_{a, b, 1}, rank_(2) {}
  constexpr Dims(std::uint32_t a, std::uint32_t b, std::uint32_t c) : axes_{a, b, c}, rank_(3) {}

  // "AxB" or "AxBxC", decimal, lower-case x, no blanks, no leading zero.
  //
  //   errors  dims_empty, dims_malformed, dims_upper_case (the sentence shows the
  //           lower-case spelling), dims_zero, dims_negative, dims_too_large; the
  //           text is quoted with at most 40 characters, all printable
  //   source  docs/facts.md#topology-text
  static Result<Dims> parse(std::string_view text);

  constexpr unsigned rank() const { return rank_; }
  // axis 0..2; an axis beyond the rank is 1 (docs/facts.md#topology-text)
  constexpr std::uint32_t axis(unsigned i) const { return axes_[i]; }
  constexpr std::uint64_t chips() const { return std::uint64_t{axes_[0]} * axes_[1] * axes_[2]; }

  // Each axis of this is a multiple of the same axis of `part`; never where `part`
  // has an axis of 0.
  bool divisible_by(const Dims& part) const;
  // Same rank and nowhere larger than `outer`: what a sub-slice needs.
  bool fits_in(const Dims& outer) const;
  // A <= B <= C.
  bool nondecreasing() const;

  std::string text() const;  // "4x4"
  bool operator==(const Dims&) const = default;

 private:
  std::array<std::uint32_t, 3> axes_{1, 1, 1};
  unsigned rank_ = 0;
};

}  // namespace tpuwh::topology
