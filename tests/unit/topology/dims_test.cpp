#include "topology/dims.hpp"
#include "topology/errc.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

namespace tpuwh::topology {
namespace {

using test::case_name;

struct GoodDims {
  std::string_view name;
  std::string_view text;
  Dims want;
  std::uint64_t want_chips;
};
void PrintTo(const GoodDims& c, std::ostream* out) {
  *out << c.name;
}

class DimsAccepts : public testing::TestWithParam<GoodDims> {};

TEST_P(DimsAccepts, text) {
  const auto dims = Dims::parse(GetParam().text);
  ASSERT_TRUE(dims) << dims.error().message();
  EXPECT_EQ(*dims, GetParam().want);
  EXPECT_EQ(dims->chips(), GetParam().want_chips);
  EXPECT_EQ(dims->text(), GetParam().text);
}

constexpr GoodDims good_dims[] = {
    {.name = "one_chip", .text = "1x1", .want = Dims(1, 1), .want_chips = 1},
    {.name = "two_axes", .text = "4x8", .want = Dims(4, 8), .want_chips = 32},
    {.name = "three_axes", .text = "2x2x1", .want = Dims(2, 2, 1), .want_chips = 4},
    {.name = "unordered", .text = "8x4x4", .want = Dims(8, 4, 4), .want_chips = 128},
    {.name = "odd", .text = "3x5x7", .want = Dims(3, 5, 7), .want_chips = 105},
    {.name = "inner_zero", .text = "10x20", .want = Dims(10, 20), .want_chips = 200},
    {.name = "largest_axis", .text = "1048576x1", .want = Dims(1048576, 1), .want_chips = 1048576},
    {.name = "largest_product",
     .text = "1024x512x2",
     .want = Dims(1024, 512, 2),
     .want_chips = 1048576},
};
INSTANTIATE_TEST_SUITE_P(dims, DimsAccepts, testing::ValuesIn(good_dims), case_name);

struct BadDims {
  std::string_view name;
  std::string_view text;
  ErrorCode want;
  std::string_view want_message;
};
void PrintTo(const BadDims& c, std::ostream* out) {
  *out << c.name;
}

class DimsRefuses : public testing::TestWithParam<BadDims> {};

TEST_P(DimsRefuses, text) {
  const auto dims = Dims::parse(GetParam().text);
  ASSERT_FALSE(dims) << dims->text();
  EXPECT_EQ(dims.error().code(), GetParam().want);
  EXPECT_EQ(dims.error().message(), GetParam().want_message);
}

constexpr BadDims bad_dims[] = {
    {.name = "empty",
     .text = "",
     .want = Errc::dims_empty,
     .want_message = "the topology is empty; write AxB or AxBxC, such as 2x4 or 2x2x2"},

    {.name = "one_axis",
     .text = "4",
     .want = Errc::dims_malformed,
     .want_message = R"(topology "4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "four_axes",
     .text = "4x4x4x4",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "4x4x4x4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "axis_missing_at_end",
     .text = "4x",
     .want = Errc::dims_malformed,
     .want_message = R"(topology "4x" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "axis_missing_at_start",
     .text = "x4",
     .want = Errc::dims_malformed,
     .want_message = R"(topology "x4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "axis_missing_inside",
     .text = "4xx4",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "4xx4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "word",
     .text = "four",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "four" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "accelerator_type",
     .text = "v5p-16",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "v5p-16" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "fraction",
     .text = "2.5x4",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "2.5x4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "plus_sign",
     .text = "+4x4",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "+4x4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "upper_case_and_malformed",
     .text = "4X",
     .want = Errc::dims_malformed,
     .want_message = R"(topology "4X" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {.name = "multiplication_sign",
     .text = "4\xC3\x97"
             "4",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "4??4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},

    {.name = "blanks_inside",
     .text = "4 x 4",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "4 x 4" contains a blank; write it without, such as 2x4 or 2x2x2)"},
    {.name = "blank_in_front",
     .text = " 4x4",
     .want = Errc::dims_malformed,
     .want_message = R"(topology " 4x4" contains a blank; write it without, such as 2x4 or 2x2x2)"},
    {.name = "newline_at_end",
     .text = "4x4\n",
     .want = Errc::dims_malformed,
     .want_message = R"(topology "4x4?" contains a blank; write it without, such as 2x4 or 2x2x2)"},
    {.name = "only_blanks",
     .text = "  ",
     .want = Errc::dims_malformed,
     .want_message = R"(topology "  " contains a blank; write it without, such as 2x4 or 2x2x2)"},

    {.name = "leading_zero",
     .text = "04x4",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "04x4" has a leading zero, but no node has such a label; write 4x4)"},
    {.name = "leading_zero_later",
     .text = "2x2x004",
     .want = Errc::dims_malformed,
     .want_message =
         R"(topology "2x2x004" has a leading zero, but no node has such a label; write 2x2x4)"},

    {.name = "upper_case",
     .text = "4X4",
     .want = Errc::dims_upper_case,
     .want_message =
         R"(topology "4X4" has an upper-case X, but no node has such a label; write 4x4)"},
    {.name = "upper_case_once",
     .text = "2x2X4",
     .want = Errc::dims_upper_case,
     .want_message =
         R"(topology "2x2X4" has an upper-case X, but no node has such a label; write 2x2x4)"},

    {.name = "zero",
     .text = "0x4",
     .want = Errc::dims_zero,
     .want_message = R"(topology "0x4" has an axis of 0; each needs at least 1 chip)"},
    {.name = "zeros",
     .text = "4x4x00",
     .want = Errc::dims_zero,
     .want_message = R"(topology "4x4x00" has an axis of 0; each needs at least 1 chip)"},
    {.name = "zero_upper_case",
     .text = "0X4",
     .want = Errc::dims_zero,
     .want_message = R"(topology "0X4" has an axis of 0; each needs at least 1 chip)"},

    {.name = "negative",
     .text = "-4x4",
     .want = Errc::dims_negative,
     .want_message = R"(topology "-4x4" has a negative axis; each needs at least 1 chip)"},
    {.name = "negative_later",
     .text = "4x-4",
     .want = Errc::dims_negative,
     .want_message = R"(topology "4x-4" has a negative axis; each needs at least 1 chip)"},

    {.name = "axis_above_limit",
     .text = "1048577x1",
     .want = Errc::dims_too_large,
     .want_message =
         R"(topology "1048577x1" has an axis of more than 1048576 chips; no TPU slice is that large)"},
    {.name = "axis_above_32_bits",
     .text = "4294967296x4",
     .want = Errc::dims_too_large,
     .want_message =
         R"(topology "4294967296x4" has an axis of more than 1048576 chips; no TPU slice is that large)"},
    {.name = "axis_above_64_bits",
     .text = "99999999999999999999x2",
     .want = Errc::dims_too_large,
     .want_message = R"(topology "99999999999999999999x2" has an axis of more than 1048576 chips; )"
                     R"(no TPU slice is that large)"},
    {.name = "product_above_limit",
     .text = "1024x1025",
     .want = Errc::dims_too_large,
     .want_message = R"(topology "1024x1025" is 1049600 chips; the maximum is 1048576)"},
    {.name = "product_near_64_bits",
     .text = "1048576x1048576x1048576",
     .want = Errc::dims_too_large,
     .want_message = R"(topology "1048576x1048576x1048576" is 1152921504606846976 chips; )"
                     R"(the maximum is 1048576)"},
};
INSTANTIATE_TEST_SUITE_P(dims, DimsRefuses, testing::ValuesIn(bad_dims), case_name);

// An annotation may hold 256 KiB of anything; a message must stay one short line.
TEST(DimsMessage, is_short_and_printable_for_any_bytes) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += static_cast<char>(i % 256);
  for (const std::string& hostile : {text, std::string(100'000, '7'), std::string(100'000, '-')}) {
    const auto dims = Dims::parse(hostile);
    ASSERT_FALSE(dims);
    const std::string& message = dims.error().message();
    EXPECT_LE(message.size(), 200u);
    EXPECT_TRUE(std::ranges::all_of(message, [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

struct Relation {
  std::string_view name;
  Dims left;
  Dims right;
  bool want_divisible;
  bool want_fits;
};
void PrintTo(const Relation& c, std::ostream* out) {
  *out << c.name;
}

class DimsRelation : public testing::TestWithParam<Relation> {};

TEST_P(DimsRelation, holds) {
  const Relation& c = GetParam();
  EXPECT_EQ(c.left.divisible_by(c.right), c.want_divisible);
  EXPECT_EQ(c.left.fits_in(c.right), c.want_fits);
}

constexpr Relation relations[] = {
    {.name = "equal",
     .left = Dims(4, 4),
     .right = Dims(4, 4),
     .want_divisible = true,
     .want_fits = true},
    {.name = "part_of",
     .left = Dims(4, 8),
     .right = Dims(2, 4),
     .want_divisible = true,
     .want_fits = false},
    {.name = "turned",
     .left = Dims(4, 2),
     .right = Dims(2, 4),
     .want_divisible = false,
     .want_fits = false},
    {.name = "smaller",
     .left = Dims(2, 2),
     .right = Dims(2, 4),
     .want_divisible = false,
     .want_fits = true},
    {.name = "other_rank",
     .left = Dims(2, 2),
     .right = Dims(2, 2, 1),
     .want_divisible = true,
     .want_fits = false},
    {.name = "third_axis",
     .left = Dims(2, 2, 2),
     .right = Dims(2, 2, 4),
     .want_divisible = false,
     .want_fits = true},
    {.name = "by_zero",
     .left = Dims(2, 2),
     .right = Dims(0, 2),
     .want_divisible = false,
     .want_fits = false},
};
INSTANTIATE_TEST_SUITE_P(dims, DimsRelation, testing::ValuesIn(relations), case_name);

TEST(Dims, nondecreasing_looks_at_its_own_axes_only) {
  EXPECT_TRUE(Dims(4, 4, 8).nondecreasing());
  EXPECT_FALSE(Dims(4, 8, 4).nondecreasing());
  EXPECT_FALSE(Dims(2, 2, 1).nondecreasing());
  EXPECT_TRUE(Dims(2, 4).nondecreasing());  // the third axis, 1, is not its own
  EXPECT_FALSE(Dims(4, 2).nondecreasing());
}

TEST(Dims, default_has_no_axes_and_one_chip) {
  EXPECT_EQ(Dims().rank(), 0u);
  EXPECT_EQ(Dims().chips(), 1u);
  EXPECT_EQ(Dims().text(), "");
}

TEST(Dims, two_axes_differ_from_the_same_with_a_third_of_one) {
  EXPECT_NE(Dims(2, 2), Dims(2, 2, 1));
}

}  // namespace
}  // namespace tpuwh::topology
