#include "server/kube/decode/watch_decoder.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tpuwh::server::kube::decode {
namespace {

using test::case_name;
using test::PrintTo;
using WatchOutcome = WatchDecoder::Outcome;

constexpr std::string_view added =
    R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"7"}}})"
    "\n";

TEST(WatchDecoderTest, gives_the_object_as_it_stands) {
  WatchDecoder decoder;
  decoder.feed(added);
  WatchEvent event;
  ASSERT_EQ(decoder.next(event), WatchOutcome::event);
  EXPECT_EQ(event.type, EventType::added);
  EXPECT_EQ(event.object, R"({"kind":"Pod","metadata":{"name":"a","resourceVersion":"7"}})");
  EXPECT_EQ(event.version, "7");
  EXPECT_FALSE(event.initial_events_end);
  EXPECT_EQ(decoder.next(event), WatchOutcome::need_more);
  EXPECT_TRUE(decoder.between_events());
}

TEST(WatchDecoderTest, several_events_in_one_piece_and_blank_lines) {
  WatchDecoder decoder;
  decoder.feed("\n" + std::string(added) + " \r\n" + std::string(added) + "{\"ty");
  WatchEvent event;
  EXPECT_EQ(decoder.next(event), WatchOutcome::event);
  EXPECT_EQ(decoder.next(event), WatchOutcome::event);
  EXPECT_EQ(decoder.next(event), WatchOutcome::need_more);
  EXPECT_FALSE(decoder.between_events());
  decoder.reset();
  EXPECT_TRUE(decoder.between_events());
}

TEST(WatchDecoderTest, keys_in_any_order) {
  WatchDecoder decoder;
  decoder.feed(R"({"object":{"metadata":{"resourceVersion":"9","annotations":)"
               R"({"k8s.io/initial-events-end":"true"}}},"more":[1],"type":"BOOKMARK"})"
               "\n");
  WatchEvent event;
  ASSERT_EQ(decoder.next(event), WatchOutcome::event);
  EXPECT_EQ(event.type, EventType::bookmark);
  EXPECT_EQ(event.version, "9");
  EXPECT_TRUE(event.initial_events_end);
}

TEST(WatchDecoderTest, a_pods_annotation_ends_nothing) {
  WatchDecoder decoder;
  decoder.feed(R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"9","annotations":)"
               R"({"k8s.io/initial-events-end":"true"}}}})"
               "\n");
  WatchEvent event;
  ASSERT_EQ(decoder.next(event), WatchOutcome::event);
  EXPECT_FALSE(event.initial_events_end);
}

TEST(WatchDecoderTest, types_are_known) {
  for (const auto& [name, want] : {std::pair{"ADDED", EventType::added},
                                   {"MODIFIED", EventType::modified},
                                   {"DELETED", EventType::deleted},
                                   {"BOOKMARK", EventType::bookmark},
                                   {"ERROR", EventType::error},
                                   {"RENAMED", EventType::unknown}}) {
    WatchDecoder decoder;
    const std::string line = R"({"type":")" + std::string(name) + R"(","object":{}})" + "\n";
    decoder.feed(line);
    WatchEvent event;
    ASSERT_EQ(decoder.next(event), WatchOutcome::event);
    EXPECT_EQ(event.type, want) << name;
    EXPECT_EQ(event.type_text, name);
    EXPECT_EQ(event.version, "");
  }
}

struct Malformed {
  std::string name;
  std::string line;
  std::string want;  // a part of the error
};
class MalformedEventTest : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedEventTest, is_refused_with_a_reason) {
  WatchDecoder decoder;
  decoder.feed(GetParam().line + "\n");
  WatchEvent event;
  ASSERT_EQ(decoder.next(event), WatchOutcome::malformed);
  EXPECT_NE(decoder.error().find(GetParam().want), std::string::npos) << decoder.error();
}
INSTANTIATE_TEST_SUITE_P(
    , MalformedEventTest,
    testing::Values(
        Malformed{"html", "<html>", "expected an object"},
        Malformed{"no_type", R"({"object":{}})", "no type in it"},
        Malformed{"no_object", R"({"type":"ADDED"})", "no object in it"},
        Malformed{"type_is_a_number", R"({"type":1,"object":{}})",
                  "type: expected a string, got a"},
        Malformed{"object_is_a_string", R"({"type":"ADDED","object":"x"})", "expected an object"},
        Malformed{"version_is_a_number",
                  R"({"type":"ADDED","object":{"metadata":{"resourceVersion":1}}})",
                  "metadata.resourceVersion: expected a string, got a number"},
        Malformed{"two_on_a_line", R"({"type":"A","object":{}}{"type":"B"})", "more text follows"},
        Malformed{"cut", R"({"type":"ADDED","object":{"metadata":{"name":"a)", "not closed"}),
    case_name);

// One Pod of 3 MiB, which anybody may create, and no watch of Pods goes on.
TEST(WatchDecoderTest, a_line_beyond_the_limit_is_passed_over) {
  WatchDecoder decoder(added.size());
  WatchEvent event;
  decoder.feed(added);
  EXPECT_EQ(decoder.next(event), WatchOutcome::event);  // the newline counts
  decoder.feed("{\"type\":\"" + std::string(added.size(), 'x'));
  EXPECT_EQ(decoder.next(event), WatchOutcome::need_more);
  EXPECT_FALSE(decoder.between_events());
  EXPECT_EQ(decoder.passed_over(), 1u);
  decoder.feed(std::string(added.size(), 'x'));
  EXPECT_EQ(decoder.next(event), WatchOutcome::need_more);
  decoder.feed("x\"}\n" + std::string(added));
  EXPECT_EQ(decoder.next(event), WatchOutcome::event);
  EXPECT_EQ(event.type, EventType::added);
  EXPECT_EQ(decoder.next(event), WatchOutcome::need_more);
  EXPECT_TRUE(decoder.between_events());
  EXPECT_EQ(decoder.passed_over(), 1u);
}

}  // namespace
}  // namespace tpuwh::server::kube::decode
