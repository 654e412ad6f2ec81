#include "kubectl/certificate/contents.hpp"

#include "kubectl/text/base64.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::certificate {
namespace {

using testing::HasSubstr;

constexpr auto empty =
    R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"tpu-webhook-certificate",)"
    R"("resourceVersion":"7","labels":{"a":"b"}},"type":"Opaque"})";

const Contents some = {.authority = {"CA\n", "CA KEY\n"},
                       .next_authority = {},
                       .old_authority = "OLD\n",
                       .leaf = {"LEAF\n", "KEY\n"}};

TEST(ContentsTest, what_is_written_is_read_again) {
  const auto secret = read_secret(empty);
  ASSERT_TRUE(secret.has_value());
  EXPECT_EQ(secret->contents, Contents());
  const std::string text = with_contents(*secret, some, true);
  const auto again = read_secret(text);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->contents, some);
  EXPECT_EQ(again->object["metadata"]["labels"]["a"], "b");
  EXPECT_EQ(again->object["metadata"]["resourceVersion"], "7");
  EXPECT_EQ(again->object["data"]["bundle.crt"], text::encode_base64("CA\nOLD\n"));
}

TEST(ContentsTest, what_is_no_longer_there_is_taken_away) {
  const auto secret = read_secret(with_contents(*read_secret(empty), some, true));
  Contents without = some;
  without.old_authority.clear();
  const auto again = read_secret(with_contents(*secret, without, true));
  EXPECT_FALSE(again->object["data"].contains("old-ca.crt"));
}

// Whichever part an authority has: then no configuration is written when the parts change.
TEST(ContentsTest, bundle_does_not_depend_on_the_parts) {
  Contents before, after;
  before.authority.certificates = "B\n";
  before.next_authority.certificates = "A\n";
  after.authority.certificates = "A\n";
  after.old_authority = "B\n";
  EXPECT_EQ(before.bundle(), after.bundle());
}

TEST(ContentsTest, what_is_no_base64_is_missing) {
  const auto secret = read_secret(R"({"data":{"tls.crt":"%%%","tls.key":7,"ca.crt":"Q0E="}})");
  ASSERT_TRUE(secret.has_value());
  EXPECT_EQ(secret->contents.leaf, tls::Pair());
  EXPECT_EQ(secret->contents.authority.certificates, "CA");
}

TEST(ContentsTest, annotation_asks_for_a_renewal_and_is_taken_away_by_it) {
  const auto with = [](const std::string& value) {
    return read_secret(R"({"metadata":{"annotations":{"tpu-webhook.dev/renew":")" + value +
                       R"(","other":"x"}}})");
  };
  EXPECT_EQ(with("ca")->asked, Asked::authority);
  EXPECT_EQ(with("certificate")->asked, Asked::leaf);
  EXPECT_EQ(with("")->trouble, "");
  EXPECT_EQ(with("both")->asked, Asked::nothing);
  EXPECT_THAT(with("both")->trouble, HasSubstr("expected \"certificate\" or \"ca\""));
  EXPECT_THAT(with_contents(*with("ca"), some, false), HasSubstr("tpu-webhook.dev/renew"));
  const std::string answered = with_contents(*with("ca"), some, true);
  EXPECT_THAT(answered, testing::Not(HasSubstr("tpu-webhook.dev/renew")));
  EXPECT_THAT(answered, HasSubstr("other"));
}

TEST(ContentsTest, secret_without_annotations_gets_none) {
  const std::string text = with_contents(*read_secret(empty), some, true);
  EXPECT_THAT(text, testing::Not(HasSubstr("annotations")));
}

// Whatever is answered, nothing throws: what is no Secret is said, and what is one is written
// whole.
TEST(ContentsTest, says_of_what_is_no_secret_what_it_is) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "it is a list, expected an object"},
      {"1", "it is a number, expected an object"},
      {R"("x")", "it is a string, expected an object"},
      {"null", "it is null, expected an object"},
      {"true", "it is a boolean, expected an object"},
      {R"({"metadata":7})", "its metadata is a number, expected an object"},
      {R"({"metadata":[]})", "its metadata is a list, expected an object"},
      {R"({"metadata":{"annotations":"x"}})",
       "its metadata.annotations is a string, expected an object"},
      {R"({"data":"x"})", "its data is a string, expected an object"},
      {R"({"data":[1]})", "its data is a list, expected an object"},
      {"{", "is not JSON"},
      {"", "is not JSON"},
      {"{}", ""},
      {R"({"a":1})", ""},
      {R"({"metadata":null,"data":null})", ""},
      {R"({"metadata":{"annotations":null},"data":{"tls.crt":7,"ca.crt":[],"ca.key":"%%%"}})", ""},
      {R"({"metadata":{"annotations":{"tpu-webhook.dev/renew":{}}},"data":{"tls.crt":null}})", ""},
  };
  for (const auto& [text, want] : cases) {
    const auto secret = read_secret(text);
    EXPECT_EQ(secret.has_value(), *want == 0) << text;
    if (!secret) {
      EXPECT_THAT(secret.error().message(), HasSubstr(want)) << text;
      continue;
    }
    for (const bool answered : {false, true}) {
      const auto again = read_secret(with_contents(*secret, some, answered));
      ASSERT_TRUE(again.has_value()) << text;
      EXPECT_EQ(again->contents, some) << text;
    }
  }
}

}  // namespace
}  // namespace tpuwh::server::certificate
