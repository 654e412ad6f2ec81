#include "base/buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tpuwh::base {
namespace {

// Of which each byte that is not written shows.
Buffer used_before() {
  Buffer out;
  out.append(std::string_view(std::string(200, '?')));
  out.clear();
  return out;
}

TEST(BufferTest, fills_front_to_back) {
  Buffer out;
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(out.view(), "");
  out.add("a=", 'x', std::uint32_t{0}, std::size_t{17});
  EXPECT_EQ(out.view(), "a=x017");
  out.clear();
  EXPECT_TRUE(out.empty());
}

TEST(BufferTest, takes_literals_whole) {
  Buffer out;
  out.append("a\0b");
  out.add("c", 'd', "ef");
  EXPECT_EQ(out.view(), std::string_view("a\0bcdef", 7));
}

TEST(BufferTest, takes_padded_texts_of_every_length) {
  const std::string text = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEF";
  const std::string padded = text + std::string(PaddedText::step, '#');
  for (std::size_t size = 0; size <= text.size(); ++size) {
    Buffer out = used_before();
    const PaddedText part{std::string_view(padded).substr(0, size)};
    out.add('<', part, part, '>');
    EXPECT_EQ(out.view(), '<' + text.substr(0, size) + text.substr(0, size) + '>');
  }
}

TEST(BufferTest, takes_texts_of_every_length) {
  const std::string text = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ+-";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    Buffer out = used_before();
    const std::string part = text.substr(0, size);
    out.add('<', std::string_view(part), '>');
    EXPECT_EQ(out.view(), '<' + part + '>');
  }
}

TEST(BufferTest, an_empty_text_is_nothing) {
  Buffer out;
  out.append("");
  out.append(std::string_view());
  out.append(std::string_view(""));
  out.add(PaddedText());
  EXPECT_TRUE(out.empty());
}

TEST(BufferTest, writes_the_largest_numbers) {
  Buffer out;
  out.append(std::numeric_limits<std::uint64_t>::max());
  out.append(' ');
  out.append(std::uint16_t{65535});
  EXPECT_EQ(out.view(), "18446744073709551615 65535");
}

TEST(BufferTest, grows_and_keeps_its_memory) {
  Buffer out;
  std::string want;
  for (int i = 0; i < 10'000; ++i) {
    out.add("number ", static_cast<std::uint32_t>(i), ',');
    want += "number " + std::to_string(i) + ",";
  }
  EXPECT_EQ(out.view(), want);
  const auto where = reinterpret_cast<std::uintptr_t>(out.view().data());
  out.clear();
  out.append(std::string_view(want));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(out.view().data()), where);
}

TEST(BufferTest, keeps_a_single_byte_where_it_grows) {
  Buffer out;
  out.append('a');
  out.append(std::string_view(std::string(1000, 'b')));
  EXPECT_EQ(out.view(), 'a' + std::string(1000, 'b'));
}

TEST(BufferTest, appends_its_own_bytes_again) {
  Buffer out;
  std::string want(100'000, 'x');
  out.append(std::string_view(want));
  for (int i = 0; i < 6; ++i) {
    out.append_again(0, out.size());
    want += want;
    out.append('y');
    want += 'y';
  }
  EXPECT_EQ(out.view(), want);
}

TEST(BufferTest, reserved_room_is_written_in_place) {
  Buffer out;
  out.append('a');
  out.reserve(3);
  std::string_view("bcd").copy(out.tail(), 3);
  out.commit(3);
  EXPECT_EQ(out.view(), "abcd");
}

TEST(DecimalDigits, count_them) {
  for (const std::uint64_t number :
       {0ull, 1ull, 9ull, 10ull, 99ull, 100ull, 4294967295ull, 18446744073709551615ull})
    EXPECT_EQ(decimal_digits(number), std::to_string(number).size());
}

}  // namespace
}  // namespace tpuwh::base
