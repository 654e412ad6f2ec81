#include "server/serve/https/request.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::https {
namespace {

constexpr std::size_t kept_value = 512;  // bytes of a value that are kept

TEST(RequestHeadTest, keeps_the_memory_of_usual_values_alone) {
  for (const std::size_t size : {kept_value - 1, kept_value, kept_value + 1}) {
    RequestHead head;
    head.target.reserve(size);
    head.content_type.reserve(size);
    ASSERT_EQ(head.target.capacity(), size);
    head.give_back_memory();
    EXPECT_EQ(head.target.capacity() == size, size <= kept_value) << size;
    EXPECT_EQ(head.content_type.capacity() == size, size <= kept_value) << size;
  }
}

TEST(RequestHeadTest, keeps_the_text_that_it_has_room_for) {
  RequestHead head;
  head.target = "/mutate";
  const char* const kept = head.target.data();
  head.give_back_memory();
  EXPECT_EQ(head.target.data(), kept);
  EXPECT_EQ(head.target, "/mutate");
}

TEST(RequestHeadTest, is_cleared_whole) {
  RequestHead head{.method = Method::post,
                   .target = "/x",
                   .content_type = "y",
                   .http_1_1 = false,
                   .keep_alive = false,
                   .chunked = true,
                   .expects_continue = true,
                   .content_length = 1};
  head.clear();
  EXPECT_EQ(head.method, Method::other);
  EXPECT_EQ(head.target, "");
  EXPECT_EQ(head.content_type, "");
  EXPECT_TRUE(head.http_1_1 && head.keep_alive);
  EXPECT_FALSE(head.chunked || head.expects_continue || head.content_length);
}

}  // namespace
}  // namespace tpuwh::server::https
