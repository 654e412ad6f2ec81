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
    {"one_chip", "1x1", Dims(1, 1), 1},
    {"two_axes", "4x8", Dims(4, 8), 32},
    {"three_axes", "2x2x1", Dims(2, 2, 1), 4},
    {"unordered", "8x4x4", Dims(8, 4, 4), 128},
    {"odd", "3x5x7", Dims(3, 5, 7), 105},
    {"inner_zero", "10x20", Dims(10, 20), 200},
    {"largest_axis", "1048576x1", Dims(1048576, 1), 1048576},
    {"largest_product", "1024x512x2", Dims(1024, 512, 2), 1048576},
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
    {"empty", "", Errc::dims_empty,
     "the topology is empty; write AxB or AxBxC, such as 2x4 or 2x2x2"},

    {"one_axis", "4", Errc::dims_malformed,
     R"(topology "4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"four_axes", "4x4x4x4", Errc::dims_malformed,
     R"(topology "4x4x4x4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"axis_missing_at_end", "4x", Errc::dims_malformed,
     R"(topology "4x" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"axis_missing_at_start", "x4", Errc::dims_malformed,
     R"(topology "x4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"axis_missing_inside", "4xx4", Errc::dims_malformed,
     R"(topology "4xx4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"word", "four", Errc::dims_malformed,
     R"(topology "four" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"accelerator_type", "v5p-16", Errc::dims_malformed,
     R"(topology "v5p-16" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"fraction", "2.5x4", Errc::dims_malformed,
     R"(topology "2.5x4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"plus_sign", "+4x4", Errc::dims_malformed,
     R"(topology "+4x4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"upper_case_and_malformed", "4X", Errc::dims_malformed,
     R"(topology "4X" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},
    {"multiplication_sign",
     "4\xC3\x97"
     "4",
     Errc::dims_malformed,
     R"(topology "4??4" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2)"},

    {"blanks_inside", "4 x 4", Errc::dims_malformed,
     R"(topology "4 x 4" contains a blank; write it without, such as 2x4 or 2x2x2)"},
    {"blank_in_front", " 4x4", Errc::dims_malformed,
     R"(topology " 4x4" contains a blank; write it without, such as 2x4 or 2x2x2)"},
    {"newline_at_end", "4x4\n", Errc::dims_malformed,
     R"(topology "4x4?" contains a blank; write it without, such as 2x4 or 2x2x2)"},
    {"only_blanks", "  ", Errc::dims_malformed,
     R"(topology "  " contains a blank; write it without, such as 2x4 or 2x2x2)"},

    {"leading_zero", "04x4", Errc::dims_malformed,
     R"(topology "04x4" has a leading zero, but no node has such a label; write 4x4)"},
    {"leading_zero_later", "2x2x004", Errc::dims_malformed,
     R"(topology "2x2x004" has a leading zero, but no node has such a label; write 2x2x4)"},

    {"upper_case", "4X4", Errc::dims_upper_case,
     R"(topology "4X4" has an upper-case X, but no node has such a label; write 4x4)"},
    {"upper_case_once", "2x2X4", Errc::dims_upper_case,
     R"(topology "2x2X4" has an upper-case X, but no node has such a label; write 2x2x4)"},

    {"zero", "0x4", Errc::dims_zero,
     R"(topology "0x4" has an axis of 0; each needs at least 1 chip)"},
    {"zeros", "4x4x00", Errc::dims_zero,
     R"(topology "4x4x00" has an axis of 0; each needs at least 1 chip)"},
    {"zero_upper_case", "0X4", Errc::dims_zero,
     R"(topology "0X4" has an axis of 0; each needs at least 1 chip)"},

    {"negative", "-4x4", Errc::dims_negative,
     R"(topology "-4x4" has a negative axis; each needs at least 1 chip)"},
    {"negative_later", "4x-4", Errc::dims_negative,
     R"(topology "4x-4" has a negative axis; each needs at least 1 chip)"},

    {"axis_above_limit", "1048577x1", Errc::dims_too_large,
     R"(topology "1048577x1" has an axis of more than 1048576 chips; no TPU slice is that large)"},
    {"axis_above_32_bits", "4294967296x4", Errc::dims_too_large,
     R"(topology "4294967296x4" has an axis of more than 1048576 chips; no TPU slice is that large)"},
    {"axis_above_64_bits", "99999999999999999999x2", Errc::dims_too_large,
     R"(topology "99999999999999999999x2" has an axis of more than 1048576 chips; )"
     R"(no TPU slice is that large)"},
    {"product_above_limit", "1024x1025", Errc::dims_too_large,
     R"(topology "1024x1025" is 1049600 chips; the maximum is 1048576)"},
    {"product_near_64_bits", "1048576x1048576x1048576", Errc::dims_too_large,
     R"(topology "1048576x1048576x1048576" is 1152921504606846976 chips; )"
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
    {"equal", Dims(4, 4), Dims(4, 4), true, true},
    {"part_of", Dims(4, 8), Dims(2, 4), true, false},
    {"turned", Dims(4, 2), Dims(2, 4), false, false},
    {"smaller", Dims(2, 2), Dims(2, 4), false, true},
    {"other_rank", Dims(2, 2), Dims(2, 2, 1), true, false},
    {"third_axis", Dims(2, 2, 2), Dims(2, 2, 4), false, true},
    {"by_zero", Dims(2, 2), Dims(0, 2), false, false},
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

TEST(Blank, is_any_that_a_form_may_hold) {
  for (const char blank : {' ', '\t', '\n', '\v', '\f', '\r'})
    EXPECT_NE(Dims::parse(std::string("2x4") + blank).error().message().find("contains a blank"),
              std::string::npos)
        << int{blank};
}

// Forty characters of a text are shown, and a sign where there are more.
TEST(LongTopology, is_shown_as_far_as_it_helps) {
  const std::string forty(40, 'a');
  const auto said = [](const std::string& text) { return Dims::parse(text).error().message(); };
  EXPECT_NE(said(forty).find('"' + forty + '"'), std::string::npos) << said(forty);
  EXPECT_NE(said("a ~").find("\"a ~\""), std::string::npos) << said("a ~");
  EXPECT_NE(said("a\x1f\x7f").find("\"a??\""), std::string::npos);
  EXPECT_NE(said(forty + "b").find('"' + forty + "...\""), std::string::npos) << said(forty + "b");
}

}  // namespace
}  // namespace tpuwh::topology
