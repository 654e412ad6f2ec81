#include "server/kube/certificate/configuration.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::certificate {
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

}  // namespace
}  // namespace tpuwh::server::kube::certificate
