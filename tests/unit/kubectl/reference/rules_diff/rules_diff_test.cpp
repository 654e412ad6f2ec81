// The declared surface as JSON, and what changes between two releases.
#include "kubectl/reference/rules_diff/command.hpp"
#include "kubectl/reference/rules_diff/diff.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/ran.hpp"
#include "webhook/write/surface.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::rules_diff {
namespace {

using rules::RulesOutput;
using testing::HasSubstr;

const std::string our_prefix = "tpu-webhook.dev/";

Json ours() {
  return rules::to_json(rules::rules_of(our_prefix));
}

TEST(RulesJsonTest, has_every_row_and_comes_back_the_same) {
  const Json json = ours();
  EXPECT_EQ(json["writes"].size(), webhook::write::surface().size());
  const auto parsed = parse_rules(json.dump());
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(rules::to_json(*parsed), json);
  EXPECT_FALSE(compare(*parsed, rules::rules_of(our_prefix)).grew());
}

class RulesDiffTest : public test::FolderTest {
 protected:
  static test::Ran diff_of_file(const std::string& file, RulesOutput output = RulesOutput::text) {
    return test::ran([&](const auto& console) {
      return run_rules_diff({.output = output, .config = {.prefix = our_prefix}}, file, console);
    });
  }
  test::Ran diff(const std::string& older, RulesOutput output = RulesOutput::text) const {
    return diff_of_file(write("rules", older), output);
  }
};

TEST_F(RulesDiffTest, nothing_changed) {
  const test::Ran ran = diff(ours().dump());
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("0 added, 0 removed, 0 changed: the surface did not grow."));
}

TEST_F(RulesDiffTest, a_new_write_or_a_new_operation_on_a_known_path_grows_it) {
  Json older = ours();
  older["writes"].erase(3);
  test::Ran ran = diff(older.dump());
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("added    add " + ours()["writes"][3]["path"].get<std::string>()));
  older = ours();
  older["writes"][1]["operations"] = {"add"};
  ran = diff(older.dump(), RulesOutput::json);
  EXPECT_EQ(ran.code, 1);
  const Json added = Json::parse(ran.out)["writes"]["added"];
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0]["operation"], "replace");
}

TEST_F(RulesDiffTest, a_new_read_and_a_promise_given_up_grow_it) {
  Json older = ours();
  older["reads"].erase(0);
  EXPECT_EQ(diff(older.dump()).code, 1);
  older = ours();
  older["never"].push_back("dnsPolicy");
  const test::Ran ran = diff(older.dump(), RulesOutput::markdown);
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("| **added** | `dnsPolicy` |"));
}

TEST_F(RulesDiffTest, less_and_other_words_do_not) {
  Json older = ours();
  older["writes"].push_back(
      {{"operations", {"add"}}, {"path", "/spec/image"}, {"when", "x"}, {"why", "y"}});
  older["writes"][0]["when"] = "the moon is full";
  older["reads"][0]["why"] = "for fun";
  const test::Ran ran = diff(older.dump());
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("removed  add /spec/image"));
  EXPECT_THAT(ran.out, HasSubstr("was  the moon is full"));
  EXPECT_THAT(ran.out, HasSubstr("0 added, 1 removed, 2 changed"));
}

TEST_F(RulesDiffTest, what_cannot_be_compared) {
  Json no_format = ours(), no_path = ours();
  no_format.erase("format");
  no_path["writes"][2].erase("path");
  const std::pair<std::string, const char*> cases[] = {
      {"", "has no JSON value"},
      {"x", "expected a value"},
      {std::string(100000, '['), "64"},
      {no_format.dump(), "expected \"format\": 1"},
      {R"({"format": 1})", "has no writes"},
      {no_path.dump(), "writes[2]: has no path"},
  };
  for (const auto& [text, want] : cases) {
    const test::Ran ran = diff(text);
    EXPECT_EQ(ran.code, 2) << text;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(want));
  }
  EXPECT_EQ(diff_of_file("/no/such").code, 2);
}

}  // namespace
}  // namespace tpuwh::server::rules_diff
