#include "kubectl/certificate/configuration.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::certificate {
namespace {

using Json = nlohmann::ordered_json;

Json configuration(const std::string& first, const std::string& second) {
  return {{"metadata", {{"name", "tpu-webhook"}, {"resourceVersion", "7"}}},
          {"webhooks",
           {{{"name", "a.tpu-webhook.dev"}, {"clientConfig", {{"caBundle", first}}}},
            {{"name", "b.tpu-webhook.dev"}, {"clientConfig", {{"caBundle", second}}}}}}};
}

TEST(ConfigurationTest, every_entry_must_hold_the_bundle_and_no_more) {
  EXPECT_TRUE(trusts(configuration("Q0E=", "Q0E="), "CA"));
  EXPECT_FALSE(trusts(configuration("Q0E=", ""), "CA"));
  EXPECT_FALSE(trusts(configuration("Q0E=", "Q0FDQQ=="), "CA"));
}

// As the chart renders it where nobody has issued a certificate yet.
TEST(ConfigurationTest, entry_without_a_bundle_does_not_hold_it) {
  const Json bare = {{"webhooks", {{{"clientConfig", {{"service", {{"name", "tpu-webhook"}}}}}}}}};
  EXPECT_FALSE(trusts(bare, "CA"));
  EXPECT_TRUE(trusts(Json::parse(with_bundle(bare, "CA")), "CA"));
}

TEST(ConfigurationTest, only_the_bundle_changes) {
  Json after = Json::parse(with_bundle(configuration("x", "y"), "CA"));
  EXPECT_EQ(after, configuration("Q0E=", "Q0E="));
}

TEST(ConfigurationTest, configuration_without_entries_has_nothing_to_hold) {
  EXPECT_TRUE(trusts({{"metadata", {{"name", "tpu-webhook"}}}}, "CA"));
  EXPECT_NO_THROW(with_bundle({{"metadata", {{"name", "tpu-webhook"}}}}, "CA"));
}

// What an API server may answer in its place, or a proxy before it: the keeper of certificates once
// ended for good by each of these, without a line.
TEST(ConfigurationTest, says_of_what_is_none_what_it_is) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "it is a list, expected an object"},
      {"1", "it is a number, expected an object"},
      {"null", "it is null, expected an object"},
      {R"("x")", "it is a string, expected an object"},
      {R"({"metadata":[]})", "its metadata is a list, expected an object"},
      {R"({"webhooks":"x"})", "its webhooks is a string, expected a list"},
      {R"({"webhooks":{"a":1}})", "its webhooks is an object, expected a list"},
      {R"({"webhooks":7})", "its webhooks is a number, expected a list"},
      {R"({"webhooks":[1]})", "its webhooks[0] is a number, expected an object"},
      {R"({"webhooks":[{},null]})", "its webhooks[1] is null, expected an object"},
      {R"({"webhooks":[{"clientConfig":"x"}]})",
       "its webhooks[0].clientConfig is a string, expected an object"},
      {R"({"webhooks":[{"clientConfig":[1]}]})",
       "its webhooks[0].clientConfig is a list, expected an object"},
      {R"({"webhooks":null})", ""},
      {R"({"webhooks":[{"clientConfig":{"caBundle":7}}]})", ""},
      {R"({"webhooks":[{"clientConfig":null}]})", ""},
      {"{}", ""},
  };
  for (const auto& [text, want] : cases) {
    const Json answered = Json::parse(text);
    EXPECT_EQ(fault_of(answered), want) << text;
    if (*want != 0) continue;
    trusts(answered, "CA");
    EXPECT_TRUE(trusts(Json::parse(with_bundle(answered, "CA")), "CA")) << text;
  }
}

TEST(ConfigurationTest, counts_who_calls) {
  EXPECT_EQ(entries_of(configuration("", "")), 2u);
  for (const char* none : {"{}", R"({"webhooks":[]})", R"({"webhooks":null})"})
    EXPECT_EQ(entries_of(Json::parse(none)), 0u) << none;
}

}  // namespace
}  // namespace tpuwh::server::certificate
