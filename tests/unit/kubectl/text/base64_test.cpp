#include "kubectl/text/base64.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::text {
namespace {

TEST(Base64, reads_what_it_writes) {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(decode_base64(encode_base64(all)), all);
    all += static_cast<char>(i);
  }
}

TEST(Base64, passes_over_line_ends) {
  EXPECT_EQ(decode_base64("aGVs\r\nbG8=\n"), "hello");
}

TEST(Base64, refuses_what_is_none) {
  for (const char* text : {"a", "ab", "abc", "====", "a===", "aGV$", "aG=s", "aGVs-_==", " aGV",
                           "aGV ", "aGV-", "aG==aG=="})
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tpuwh::server::text
