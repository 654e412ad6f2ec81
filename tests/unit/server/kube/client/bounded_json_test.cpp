#include "server/kube/client/bounded_json.hpp"

#include "server/kube/client/status.hpp"
#include "server/limits/limits.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>

namespace tpuwh::server::kube::client {
namespace {

std::string refusal(const std::string& text) {
  const auto parsed = parse_bounded(text);
  return parsed ? "" : parsed.error().message();
}

std::string nested(unsigned depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

std::string list_of(std::size_t values) {
  std::string text = "[0";
  for (std::size_t i = 2; i < values; ++i) text += ",0";
  return text + "]";
}

TEST(BoundedJson, takes_what_is_usual) {
  EXPECT_EQ((*parse_bounded(R"({"a":[1,null,"x"]})"))["a"][2], "x");
  EXPECT_EQ(refusal(nested(limits::api::answer_depth)), "");
  EXPECT_EQ(refusal(list_of(limits::api::answer_values)), "");
}

TEST(BoundedJson, says_what_is_too_much) {
  EXPECT_EQ(refusal(nested(limits::api::answer_depth + 1)), "is nested deeper than 32 levels");
  EXPECT_EQ(refusal(list_of(limits::api::answer_values + 1)), "has more than 10000 values");
  EXPECT_EQ(refusal("{"), "is not JSON");
  EXPECT_EQ(refusal(""), "is not JSON");
  EXPECT_EQ(refusal(std::string(limits::api::answer_bytes, '[')),
            "is nested deeper than 32 levels");
}

TEST(BoundedJson, a_status_of_brackets_is_a_foreign_text) {
  const Status status = read_status(500, std::string(limits::api::answer_bytes, '['));
  EXPECT_EQ(status.code, 500u);
  EXPECT_TRUE(status.message.starts_with("[[["));
}

}  // namespace
}  // namespace tpuwh::server::kube::client
