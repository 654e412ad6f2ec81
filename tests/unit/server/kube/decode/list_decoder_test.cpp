#include "server/kube/decode/list_decoder.hpp"

#include "tests/support/named_case.hpp"
#include "webhook/read/body.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tpuwh::server::kube::decode {
namespace {

using test::case_name;
using test::PrintTo;
using ListOutcome = ListDecoder::Outcome;

struct Page {
  ListOutcome outcome = ListOutcome::need_more;
  std::vector<std::string> items;
  std::string version, token, error;
  std::size_t passed_over = 0;
  std::vector<std::string> beginnings;  // of what was passed over
};

// Decodes `text` in pieces of `piece` bytes.
Page decode(std::string_view text, std::size_t piece, std::size_t most_bytes = 4096) {
  ListDecoder decoder(most_bytes);
  Page page;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const std::string bytes(text.substr(at, piece));
    decoder.feed(bytes);
    std::string_view item;
    while ((page.outcome = decoder.next(item)) == ListOutcome::item ||
           page.outcome == ListOutcome::too_large)
      (page.outcome == ListOutcome::item ? page.items : page.beginnings).emplace_back(item);
    if (page.outcome != ListOutcome::need_more && page.outcome != ListOutcome::end) break;
  }
  page.version = decoder.resource_version();
  page.token = decoder.continue_token();
  page.error = decoder.error();
  page.passed_over = decoder.passed_over();
  return page;
}

struct Case {
  std::string name;
  std::string text;
  std::vector<std::string> want;
  std::string version = "5";
  std::string token = "";
};
const Case cases[] = {
    {"no_items", R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[]})", {}},
    {"null_items", R"({"metadata":{"resourceVersion":"5"},"items":null})", {}},
    {"two",
     R"({"metadata":{"resourceVersion":"5","continue":"t"},"items":[{"a":1},)"
     R"( {"b":[{"c":"}]\"\\"}]}]})"
     "\n",
     {R"({"a":1})", R"({"b":[{"c":"}]\"\\"}]})"},
     "5",
     "t"},
    {"metadata_last",  // of custom resources: the keys are sorted
     R"({"apiVersion":"ray.io/v1","items":[{"metadata":{"resourceVersion":"4"}}],)"
     R"("kind":"RayClusterList","metadata":{"continue":"","resourceVersion":"5"}})",
     {R"({"metadata":{"resourceVersion":"4"}})"}},
    {"pretty",
     "{\n  \"metadata\": {\n    \"resourceVersion\": \"5\"\n  },\n  \"items\": [\n"
     "    { \"a\" : 1 }\n  ]\n}\n",
     {R"({ "a" : 1 })"}},
    {"words_in_other_places",
     R"({"x":"items","y":{"items":[{"no":1}],"metadata":{"resourceVersion":"1"}},)"
     R"("metadata":{"resourceVersion":"5"},"items":[{"items":[{}]}]})",
     {R"({"items":[{}]})"}},
};
class ListTest : public testing::TestWithParam<Case> {};

TEST_P(ListTest, is_the_same_however_it_is_cut) {
  for (std::size_t piece = 1; piece <= GetParam().text.size(); ++piece) {
    const Page page = decode(GetParam().text, piece);
    ASSERT_EQ(page.outcome, ListOutcome::end) << piece << ": " << page.error;
    EXPECT_EQ(page.items, GetParam().want) << piece;
    EXPECT_EQ(page.version, GetParam().version) << piece;
    EXPECT_EQ(page.token, GetParam().token) << piece;
  }
}
INSTANTIATE_TEST_SUITE_P(, ListTest, testing::ValuesIn(cases), case_name);

struct Bad {
  std::string name;
  std::string text;
  std::string want;
};
class BadListTest : public testing::TestWithParam<Bad> {};

TEST_P(BadListTest, is_refused_with_a_reason) {
  for (std::size_t piece = 1; piece <= GetParam().text.size(); ++piece) {
    const Page page = decode(GetParam().text, piece);
    ASSERT_EQ(page.outcome, ListOutcome::malformed) << piece;
    EXPECT_NE(page.error.find(GetParam().want), std::string::npos) << page.error;
  }
}
INSTANTIATE_TEST_SUITE_P(
    , BadListTest,
    testing::Values(Bad{"html", "<html>", "does not begin"}, Bad{"array", "[{}]", "does not begin"},
                    Bad{"no_version", R"({"metadata":{},"items":[]})", "no metadata.resourceV"},
                    Bad{"number_item", R"({"items":[1]})", "an item that is not an object"},
                    Bad{"array_item", R"({"items":[[]]})", "an item that is not an object"},
                    Bad{"version_is_a_number", R"({"metadata":{"resourceVersion":5},"items":[]})",
                        "resourceVersion: expected a string, got a number"},
                    Bad{"twice", R"({"metadata":{"resourceVersion":"5"}}{})", "after its end"}),
    case_name);

TEST(ListDecoderTest, a_cut_page_is_not_at_its_end) {
  const std::string text = R"({"metadata":{"resourceVersion":"5"},"items":[{"a":1}]})";
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_EQ(decode(text.substr(0, size), size).outcome, ListOutcome::need_more) << size;
  }
}

// One Pod of 3 MiB, which anybody may create, and no list of Pods ends.
TEST(ListDecoderTest, an_item_beyond_the_limit_is_passed_over) {
  const std::string text = R"({"metadata":{"resourceVersion":"5"},"items":[{"a":1},{"a":[{"b":")" +
                           std::string(100, 'x') + R"("},"\"]}"]},{"a":2}]})";
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, text.size()}) {
    const Page page = decode(text, size, 40);
    EXPECT_EQ(page.outcome, ListOutcome::end) << page.error;
    EXPECT_EQ(page.items, (std::vector<std::string>{R"({"a":1})", R"({"a":2})"})) << size;
    EXPECT_EQ(page.passed_over, 1u);
    ASSERT_EQ(page.beginnings.size(), 1u);
    EXPECT_EQ(page.beginnings[0].rfind(R"({"a":[{"b":"xxx)", 0), 0u) << page.beginnings[0];
    EXPECT_GT(page.beginnings[0].size(), 30u);
  }
}

// Also the one whose end comes with the piece that is too much.
TEST(ListDecoderTest, an_item_is_as_long_as_it_is_whether_it_is_cut_or_not) {
  const std::string item = R"({"a":")" + std::string(32, 'x') + R"("})";
  ASSERT_EQ(item.size(), 40u);
  const std::string text =
      R"({"metadata":{"resourceVersion":"5"},"items":[)" + item + "," + item + "]}";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(decode(text, piece, 40).items, (std::vector<std::string>{item, item})) << piece;
    const Page page = decode(text, piece, 39);
    EXPECT_TRUE(page.items.empty()) << piece;
    EXPECT_EQ(page.passed_over, 2u) << piece;
    EXPECT_EQ(page.outcome, ListOutcome::end) << piece;
  }
}

// Where it can be, an item is given as it came; its padding is readable there, too.
TEST(ListDecoderTest, an_item_has_padding_behind_it) {
  for (std::size_t behind = 0; behind <= 2 * webhook::read::padding; ++behind) {
    const std::string page =
        R"({"metadata":{"resourceVersion":"5"},"items":[{"a":1}]})" + std::string(behind, ' ');
    const std::vector<char> bytes(page.begin(), page.end());  // as long as it is
    ListDecoder decoder;
    decoder.feed({bytes.data(), bytes.size()});
    std::string_view item;
    ASSERT_EQ(decoder.next(item), ListOutcome::item);
    EXPECT_EQ(item, R"({"a":1})");
    base::json::Reader reader;
    EXPECT_TRUE(reader.start(item) && reader.skip() && reader.finish()) << behind;
    EXPECT_EQ(decoder.next(item), ListOutcome::end);
  }
}

TEST(ListDecoderTest, only_an_object_has_a_limit) {
  std::string text = R"({"metadata":{"resourceVersion":"5"},"items":[)";
  for (int i = 0; i < 100; ++i) text += R"({"a":"0123456789"},)";
  EXPECT_EQ(decode(text + "{}]}", 7, 40).items.size(), 101u);
  const Page page =
      decode(R"({"metadata":{"continue":"0123456789012345678901234567890123456789"})", 7, 40);
  EXPECT_EQ(page.outcome, ListOutcome::overflow);
  EXPECT_EQ(page.error, "an object larger than 40 bytes");
}

}  // namespace
}  // namespace tpuwh::server::kube::decode
