#include "topology/dims.hpp"
#include "topology/errc.hpp"

#include <gtest/gtest.h>
#include "tests/support/has.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tpuwh::topology {
namespace {

using test::has;

TEST(DimsAccepts, text) {
  struct {
    std::string_view text;
    Dims want;
    std::uint64_t chips;
  } const cases[] = {
      {"1x1", Dims(1, 1), 1},
      {"4x8", Dims(4, 8), 32},
      {"2x2x1", Dims(2, 2, 1), 4},
      {"8x4x4", Dims(8, 4, 4), 128},
      {"3x5x7", Dims(3, 5, 7), 105},
      {"10x20", Dims(10, 20), 200},
      {"1048576x1", Dims(1048576, 1), 1048576},
      {"1024x512x2", Dims(1024, 512, 2), 1048576},
  };
  for (const auto& [text, want, chips] : cases) {
    const auto dims = Dims::parse(text);
    ASSERT_TRUE(dims) << dims.error().message();
    EXPECT_EQ(*dims, want);
    EXPECT_EQ(dims->chips(), chips);
    EXPECT_EQ(dims->text(), text);
  }
}

struct BadDims {
  std::string_view text;
  std::string want;  // behind the quoted text
};

void expect_refused(Errc code, std::initializer_list<BadDims> all) {
  for (const auto& [text, want] : all) {
    const auto dims = Dims::parse(text);
    ASSERT_FALSE(dims) << dims->text();
    EXPECT_EQ(dims.error().code(), ErrorCode(code)) << text;
    std::string shown(text);
    for (char& c : shown)
      if (c < ' ' || c > '~') c = '?';
    EXPECT_EQ(dims.error().message(), "topology \"" + shown + "\" " + want);
  }
}

TEST(DimsRefuses, what_is_no_topology) {
  EXPECT_EQ(Dims::parse("").error().message(),
            "the topology is empty; write AxB or AxBxC, such as 2x4 or 2x2x2");
  EXPECT_EQ(Dims::parse("").error().code(), ErrorCode(Errc::dims_empty));
  for (const char* text :
       {"4", "4x4x4x4", "4x", "x4", "4xx4", "four", "v5p-16", "2.5x4", "+4x4", "4X",
        "4\xC3\x97"
        "4"})
    expect_refused(Errc::dims_malformed,
                   {{text, "is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2"}});
  for (const char* text : {"4 x 4", " 4x4", "4x4\n", "  "})
    expect_refused(Errc::dims_malformed,
                   {{text, "contains a blank; write it without, such as 2x4 or 2x2x2"}});
}

TEST(DimsRefuses, another_spelling_with_the_right_one) {
  const std::string_view zero = "has a leading zero, but no node has such a label; write ";
  const std::string_view upper = "has an upper-case X, but no node has such a label; write ";
  expect_refused(Errc::dims_malformed, {{"04x4", std::string(zero) + "4x4"}});
  expect_refused(Errc::dims_malformed, {{"2x2x004", std::string(zero) + "2x2x4"}});
  expect_refused(Errc::dims_upper_case, {{"4X4", std::string(upper) + "4x4"}});
  expect_refused(Errc::dims_upper_case, {{"2x2X4", std::string(upper) + "2x2x4"}});
}

TEST(DimsRefuses, what_is_out_of_bounds) {
  for (const char* text : {"0x4", "4x4x00", "0X4"})
    expect_refused(Errc::dims_zero, {{text, "has an axis of 0; each needs at least 1 chip"}});
  for (const char* text : {"-4x4", "4x-4"})
    expect_refused(Errc::dims_negative,
                   {{text, "has a negative axis; each needs at least 1 chip"}});
  for (const char* text : {"1048577x1", "4294967296x4", "99999999999999999999x2"})
    expect_refused(Errc::dims_too_large,
                   {{text, "has an axis of more than 1048576 chips; no TPU slice is that large"}});
  expect_refused(Errc::dims_too_large, {{"1024x1025", "is 1049600 chips; the maximum is 1048576"},
                                        {"1048576x1048576x1048576",
                                         "is 1152921504606846976 chips; the maximum is 1048576"}});
}

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

TEST(DimsRelation, holds) {
  struct {
    Dims left, right;
    bool divisible, fits;
  } const cases[] = {
      {Dims(4, 4), Dims(4, 4), true, true},     {Dims(4, 8), Dims(2, 4), true, false},
      {Dims(4, 2), Dims(2, 4), false, false},   {Dims(2, 2), Dims(2, 4), false, true},
      {Dims(2, 2), Dims(2, 2, 1), true, false}, {Dims(2, 2, 2), Dims(2, 2, 4), false, true},
      {Dims(2, 2), Dims(0, 2), false, false},
  };
  for (const auto& [left, right, divisible, fits] : cases) {
    EXPECT_EQ(left.divisible_by(right), divisible) << left.text() << ' ' << right.text();
    EXPECT_EQ(left.fits_in(right), fits) << left.text() << ' ' << right.text();
  }
}

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
    EXPECT_TRUE(has(Dims::parse(std::string("2x4") + blank).error().message(), "contains a blank"))
        << int{blank};
}

// Forty characters of a text are shown, and a sign where there are more.
TEST(LongTopology, is_shown_as_far_as_it_helps) {
  const std::string forty(40, 'a');
  const auto said = [](const std::string& text) { return Dims::parse(text).error().message(); };
  EXPECT_NE(said(forty).find('"' + forty + '"'), std::string::npos) << said(forty);
  EXPECT_TRUE(has(said("a ~"), "\"a ~\""));
  EXPECT_TRUE(has(said("a\x1f\x7f"), "\"a??\""));
  EXPECT_NE(said(forty + "b").find('"' + forty + "...\""), std::string::npos) << said(forty + "b");
}

}  // namespace
}  // namespace tpuwh::topology
