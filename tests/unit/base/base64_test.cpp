#include "base/base64.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "tests/support/admitted.hpp"
#include "tests/support/own_mapping.hpp"

namespace tpuwh::base {
namespace {

std::string encoded(std::string_view bytes, std::string_view before = {}) {
  Buffer out;
  out.append(before);
  append_base64(out, bytes);
  return std::string(out.view());
}

// RFC 4648 section 10.
TEST(Base64, vectors_of_the_rfc) {
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, every_character_of_the_alphabet) {
  std::string bytes;
  for (unsigned i = 0; i < 64; i += 4) {
    const unsigned bits = i << 18 | (i + 1) << 12 | (i + 2) << 6 | (i + 3);
    for (const unsigned shift : {16u, 8u, 0u}) bytes += static_cast<char>(bits >> shift & 0xff);
  }
  EXPECT_EQ(encoded(bytes), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
}

TEST(Base64, every_length_comes_back) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random() & 0xff);
    const std::string text = encoded(bytes);
    EXPECT_EQ(text.size(), (size + 2) / 3 * 4);
    EXPECT_EQ(test::decode_base64(text), bytes) << size;
    EXPECT_EQ(encoded(bytes, "before "), "before " + text);
  }
}

// At the begin of a page and at the end of one; those beside it cannot be read.
TEST(Base64, reads_no_byte_but_its_own) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t size = 1; size < 100; ++size) {
    const std::string bytes(size, 'x');
    const test::OwnMapping last(bytes), first(bytes, page - size);
    EXPECT_EQ(encoded(first.text()), encoded(bytes));
    EXPECT_EQ(encoded(last.text()), encoded(bytes));
  }
}

}  // namespace
}  // namespace tpuwh::base
