#include "webhook/read/vocabulary.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace tpuwh::webhook::read {
namespace {

constexpr std::string_view prefix = "tpu-webhook.dev/";

template <class Keys>
void expect_each_found(const Keys& keys, auto find) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string whole = std::string(keys[i].ours ? prefix : "") + std::string(keys[i].text);
    EXPECT_TRUE(seen.insert(whole).second) << whole << " stands twice";
    const auto found = find(whole);
    ASSERT_TRUE(found) << whole;
    EXPECT_EQ(static_cast<std::size_t>(*found), i) << whole;
    // Case, a tail and another prefix make other keys.
    EXPECT_FALSE(find(whole + "x")) << whole;
    EXPECT_FALSE(find("X" + whole)) << whole;
    const std::string other = keys[i].ours ? "example.com/" : std::string(prefix);
    EXPECT_FALSE(find(other + std::string(keys[i].text))) << whole;
    EXPECT_EQ(find(std::string(keys[i].text)).has_value(), !keys[i].ours) << whole;
  }
}

TEST(Vocabulary, every_label_is_found_by_its_key_alone) {
  expect_each_found(label_keys, [](std::string_view key) { return find_label(key, prefix); });
}

TEST(Vocabulary, every_annotation_is_found_by_its_key_alone) {
  expect_each_found(annotation_keys,
                    [](std::string_view key) { return find_annotation(key, prefix); });
}

TEST(Vocabulary, every_variable_is_found_by_its_name_alone) {
  for (std::size_t i = 0; i < variable_count; ++i) {
    const std::string text(variable_names[i]);
    ASSERT_TRUE(find_variable(text)) << text;
    EXPECT_EQ(static_cast<std::size_t>(*find_variable(text)), i);
    EXPECT_EQ(name(static_cast<Variable>(i)), text);
    EXPECT_FALSE(find_variable(text + "S"));
    EXPECT_FALSE(find_variable(text.substr(1)));
    EXPECT_FALSE(find_variable(" " + text));
  }
  EXPECT_FALSE(find_variable(""));
  EXPECT_FALSE(find_variable("tpu_worker_id"));
  EXPECT_FALSE(find_variable("TPU_WORKER_IDX"));
}

TEST(Vocabulary, the_host_ip_comes_before_the_address_that_names_it) {
  EXPECT_LT(Variable::tpu_device_plugin_host_ip, Variable::tpu_device_plugin_addr);
}

TEST(Vocabulary, another_prefix_is_the_operators) {
  EXPECT_EQ(find_label("x.example/slice-key", "x.example/"), Label::slice_key);
  EXPECT_FALSE(find_label("tpu-webhook.dev/slice-key", "x.example/"));
  EXPECT_EQ(find_label("job-name", "x.example/"), Label::job_name_legacy);
}

}  // namespace
}  // namespace tpuwh::webhook::read
