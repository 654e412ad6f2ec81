#include "base/release.hpp"

#include "base/buffer.hpp"
#include "webhook/write/shared_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tpuwh::base {
namespace {

constexpr std::size_t released_bytes = 1u << 20;

TEST(Release, frees_a_string) {
  std::string text(released_bytes, 'x');
  release(text);
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.capacity(), std::string().capacity());
}

// Why there is a name for it. If this fails, the library has changed its mind.
TEST(Release, does_what_an_empty_string_that_is_moved_does_not) {
  std::string text(released_bytes, 'x');
  text = std::string();
  EXPECT_GE(text.capacity(), released_bytes);
  text = {};
  EXPECT_GE(text.capacity(), released_bytes);
}

TEST(Release, frees_a_vector) {
  std::vector<int> list(released_bytes);
  release(list);
  EXPECT_EQ(list.capacity(), 0u);
}

TEST(Release, leaves_a_buffer_that_can_be_used_again) {
  Buffer buffer;
  buffer.append(std::string(released_bytes, 'x'));
  release(buffer);
  EXPECT_EQ(buffer.view(), "");
  buffer.append("abc");
  EXPECT_EQ(buffer.view(), "abc");
}

TEST(Release, frees_the_strings_of_a_struct) {
  webhook::write::SharedText text;
  text.key = std::string(released_bytes, 'x');
  release(text);
  EXPECT_EQ(text.key.capacity(), std::string().capacity());
}

}  // namespace
}  // namespace tpuwh::base
