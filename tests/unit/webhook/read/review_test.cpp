#include "webhook/read/review.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/admitted.hpp"
#include "tests/support/full_pod.hpp"
#include "tests/support/json_text.hpp"

namespace tpuwh::webhook::read {
namespace {

using namespace std::string_literals;
using namespace test;

json good() {
  return a_pod().job("train", 1).on("2x4", "4").review_json();
}

json without(const std::string& pointer) {
  json review = good();
  const json::json_pointer at(pointer);
  review[at.parent_pointer()].erase(at.back());
  return review;
}

json with(const std::string& pointer, const json& value) {
  json review = good();
  review[json::json_pointer(pointer)] = value;
  return review;
}

// --- What is no review -------------------------------------------------------------

void expect_unusable(const std::string& text, std::string_view want, unsigned status = 400) {
  const auto answer = admit(text);
  EXPECT_EQ(answer.status, status);
  EXPECT_TRUE(has(answer.message, want));
  EXPECT_EQ(answer.outcome, Outcome::unusable);
}

TEST(RefusesText, with_a_sentence) {
  expect_unusable("", "the body is empty");
  expect_unusable(" \r\n\t ", "the body is empty");
  expect_unusable("\0"s, "expected an object");
  expect_unusable("null", "got null");
  expect_unusable("{}", "kind: missing");
  expect_unusable(a_pod().pod().dump(), "kind: expected AdmissionReview, got Pod");
  expect_unusable(with("/kind", "admissionreview").dump(), "got admissionr");
  expect_unusable(without("/kind").dump(), "kind: missing");
  expect_unusable(without("/apiVersion").dump(), "apiVersion: missing");
  expect_unusable(with("/apiVersion", "admission.k8s.io/v2").dump(), "got admission.k8s.io/v2");
  expect_unusable(without("/request").dump(), "request: missing");
  expect_unusable(with("/request", nullptr).dump(), "request: missing");
  expect_unusable(with("/request", json::array()).dump(),
                  "request: expected an object, got an array");
  expect_unusable(without("/request/uid").dump(), "request.uid: missing");
  expect_unusable(with("/request/uid", "").dump(), "request.uid: missing");
  expect_unusable(with("/request/uid", nullptr).dump(), "request.uid: expected a string, got null");
  expect_unusable(with("/request/uid", 5).dump(), "request.uid: expected a string, got a number");
  expect_unusable(without("/request/operation").dump(), "request.operation: missing");
  expect_unusable(with("/request/operation", "create").dump(), "got create");
  expect_unusable(with("/request/operation", "PATCH").dump(), "got PATCH");
  expect_unusable(with("/request/object", "x").dump(),
                  "request.object: expected an object, got a string");
  expect_unusable(with("/request/dryRun", "true").dump(),
                  "request.dryRun: expected true or false, got a string");
  expect_unusable(good().dump() + " x", "more text follows");
  expect_unusable(good().dump() + good().dump(), "more text follows");
  expect_unusable(with_raw(good(), "/request/userInfo", "\"\xff\""), "UTF-8");
  expect_unusable(with_raw(good(), "/request/userInfo", "\"\x01\""), "control character");
  expect_unusable(with_raw(good(), "/request/userInfo", "{\"a\":[}"), "at byte");
  expect_unusable(std::string(8u << 20, ' '), "7340032", 413);
  expect_unusable(good().dump() + std::string((7u << 20) + 1 - good().dump().size(), ' '),
                  "7340032", 413);
}

TEST(ReviewText, seven_mebibytes_are_read) {
  const std::string small = good().dump();
  EXPECT_EQ(admit(small + std::string((7u << 20) - small.size(), ' ')).outcome, Outcome::patched);
  json large = good();
  large["request"]["object"]["metadata"]["annotations"]["note"] = std::string(6u << 20, 'x');
  EXPECT_EQ(admit(large.dump()).outcome, Outcome::patched);
  large["request"]["object"]["metadata"]["annotations"]["note"] = std::string(1u << 20, '"');
  EXPECT_EQ(admit(large.dump()).outcome, Outcome::patched);
  EXPECT_EQ(admit(small).outcome, Outcome::patched) << "nothing of the large review must be left";
}

TEST(ReviewText, cut_at_every_byte) {
  for (const std::string& whole :
       {good().dump(), review_of(full_pod()).dump(2), all_escaped(good())}) {
    ASSERT_EQ(admit(whole).status, 200u);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto answer = admit(whole.substr(0, size));
      ASSERT_EQ(answer.status, 400u) << size << ": " << whole.substr(0, size);
      ASSERT_FALSE(answer.message.empty());
    }
  }
}

TEST(ReviewText, one_byte_changed) {
  const std::string whole = review_of(full_pod()).dump();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char c : {'{', ']', '"', ',', '\\', '0', '\0', '\xff'}) {
      std::string text = whole;
      text[at] = c;
      // Brackets and words of skipped values are not read (base/json/reader.hpp), so what
      // nlohmann refuses may be 200 here; that it is answered is the point.
      Body body(text);
      answer::Workspace workspace;
      const answer::Answer answer = answer::admit(body, {}, NoCluster(), workspace);
      ASSERT_TRUE(answer.http_status == 200 || answer.http_status == 400) << text;
      ASSERT_TRUE(well_formed(answer.body)) << text << '\n' << answer.body;
      if (at % 16 != 0) break;  // each byte once, every sixteenth with all
    }
}

// --- Depth -------------------------------------------------------------------------

std::string nested(std::size_t levels, bool closed = true, bool objects = false) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += objects ? "{\"a\":" : "[";
  if (!closed) return text;
  if (objects) text += "1";
  for (std::size_t i = 0; i < levels; ++i) text += objects ? "}" : "]";
  return text;
}

TEST(ReviewDepth, a_hundred_thousand_levels_anywhere) {
  json review = review_of(full_pod());
  review["request"]["object"]["spec"]["unknown"] = 1;
  review["unknown"] = 1;
  for (const std::string& pointer : pointers_of(review))
    for (const bool closed : {true, false})
      for (const bool objects : {true, false}) {
        const auto answer = admit(with_raw(review, pointer, nested(100'000, closed, objects)));
        ASSERT_EQ(answer.status, 400u) << pointer;
        if (!closed || !objects) break;
      }
  EXPECT_EQ(admit(nested(100'000)).status, 400u);
  EXPECT_EQ(admit(nested(3'000'000, false)).status, 400u);
}

// --- The same review, written otherwise ----------------------------------------------

// The API server sends kind and operation in front of the object, dryRun behind it.
TEST(ReviewSpelling, an_object_behind_its_kind_is_answered_alike) {
  const auto as_sent = [](const json& review) {
    const json& request = review["request"];
    nlohmann::ordered_json out = {{"kind", review["kind"]}, {"apiVersion", review["apiVersion"]}};
    auto& ordered = out["request"] = nlohmann::ordered_json::object();
    for (const char* key : {"uid", "kind", "namespace", "operation", "object", "dryRun"})
      if (request.contains(key)) ordered[key] = request[key];
    return out.dump();
  };
  const auto want = admit(good().dump());
  ASSERT_EQ(want.outcome, Outcome::patched);
  EXPECT_EQ(admit(as_sent(good())).patch, want.patch);
  const json bad = with("/request/object/spec/hostname", 7);
  EXPECT_TRUE(has(admit(bad.dump()).message, "request.object.spec.hostname"));
  EXPECT_EQ(admit(as_sent(bad)).message, admit(bad.dump()).message);
  json worse = bad;
  worse["request"]["dryRun"] = "true";
  EXPECT_TRUE(
      has(admit(as_sent(worse)).message, "request.dryRun: expected true or false, got a string"))
      << "what is wrong around a Pod is told first";
}

TEST(ReviewSpelling, the_namespace_of_the_request_counts) {
  json review = good();
  const auto want = admit(review.dump());
  review["request"]["object"]["metadata"].erase("namespace");
  EXPECT_EQ(admit(review.dump()).patch, want.patch);
  review["request"].erase("namespace");
  review["request"]["object"]["metadata"]["namespace"] = "default";
  EXPECT_EQ(admit(review.dump()).patch, want.patch);
}

TEST(ReviewSpelling, the_uid_comes_back_whatever_it_holds) {
  for (const std::string& uid :
       {"a\"b"s, "a\\b"s, "a\nb\t\x01\x1f"s, "a\0b"s, "\xc3\xa4\xf0\x9f\x98\x80"s, "\x7f"s,
        "</script>"s, std::string(100'000, '"')}) {
    const auto answer = admit(with("/request/uid", uid).dump());  // the uid is compared there
    EXPECT_EQ(answer.outcome, Outcome::patched);
  }
}

// --- Reviews about something else ------------------------------------------------------

// golden/review has further reviews of this kind.
TEST(OtherReviews, are_left_alone_without_a_patch) {
  for (const auto& [pointer, value] : std::initializer_list<std::pair<std::string, json>>{
           {"/request/operation", "CONNECT"},
           {"/request/object", nullptr},
           {"/request/subResource", "status"},
           {"/request/subResource", "resize"},
           {"/request/kind", {{"group", ""}, {"version", "v1"}, {"kind", "Binding"}}},
           {"/request/kind/group", "apps"},
           {"/request/kind/version", "v2"},
           {"/request/kind", nullptr},
           {"/request/kind", json::object()}}) {
    SCOPED_TRACE(pointer + ' ' + value.dump());
    const auto answer = admit(with(pointer, value).dump());
    EXPECT_EQ(answer.status, 200u) << answer.message;
    EXPECT_TRUE(answer.allowed);
    EXPECT_EQ(answer.patch, json::array());
    EXPECT_TRUE(answer.warnings.empty());
    EXPECT_EQ(answer.reason, Reason::not_a_pod);
  }
}

TEST(ABody, has_padding_behind_it) {
  for (const std::size_t size : {0u, 1u, 1000u}) {
    std::string text(size, ' ');
    text.shrink_to_fit();
    const Body body(text);
    EXPECT_GE(text.capacity(), size + padding);
    EXPECT_EQ(body.bytes().data(), text.data());
    EXPECT_EQ(body.bytes().size(), size);
  }
}

TEST(OtherReviews, their_object_is_not_read) {
  json review = with("/request/kind/kind", "Binding");
  for (const json& object :
       {json(5), json("x"), json::array({1}), json({{"metadata", 7}, {"spec", "x"}})}) {
    review["request"]["object"] = object;
    EXPECT_EQ(admit(review.dump()).reason, Reason::not_a_pod) << object;
  }
}

}  // namespace
}  // namespace tpuwh::webhook::read
