#include "webhook/read/review.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/admitted.hpp"
#include "tests/support/full_pod.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/named_case.hpp"

namespace tpuwh::webhook::read {
namespace {

using namespace std::string_literals;
using test::a_pod;
using test::admit;
using test::case_name;
using test::json;
using test::PrintTo;

json good() {
  return a_pod().job("train", 1).topology("2x4").tpu("4").review_json();
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

struct Unusable {
  std::string_view name;
  std::string text;
  std::string_view want;  // part of the sentence
  unsigned status = 400;
};

class RefusesText : public testing::TestWithParam<Unusable> {};

TEST_P(RefusesText, with_a_sentence) {
  const auto answer = admit(GetParam().text);
  EXPECT_EQ(answer.status, GetParam().status);
  EXPECT_NE(answer.message.find(GetParam().want), std::string::npos) << answer.message;
  EXPECT_EQ(answer.outcome, outcome::Outcome::unusable);
}

INSTANTIATE_TEST_SUITE_P(
    Review, RefusesText,
    testing::Values(
        Unusable{"empty", "", "the body is empty"},
        Unusable{"blanks", " \r\n\t ", "the body is empty"},
        Unusable{"nul", "\0"s, "expected an object"},
        Unusable{"word", "hello", "expected an object"},
        Unusable{"yaml", "apiVersion: v1\nkind: Pod\n", "expected an object"},
        Unusable{"number", "4", "got a number"}, Unusable{"text", "\"x\"", "got a string"},
        Unusable{"null", "null", "got null"}, Unusable{"list", "[]", "got an array"},
        Unusable{"nothing_in_it", "{}", "kind: missing"},
        Unusable{"pod", a_pod().pod().dump(), "kind: expected AdmissionReview, got Pod"},
        Unusable{"lower_case_kind", with("/kind", "admissionreview").dump(),
                 "got admissionr"},
        Unusable{"no_kind", without("/kind").dump(), "kind: missing"},
        Unusable{"no_version", without("/apiVersion").dump(), "apiVersion: missing"},
        Unusable{"other_version", with("/apiVersion", "admission.k8s.io/v2").dump(),
                 "got admission.k8s.io/v2"},
        Unusable{"no_request", without("/request").dump(), "request: missing"},
        Unusable{"null_request", with("/request", nullptr).dump(), "request: missing"},
        Unusable{"list_request", with("/request", json::array()).dump(), "request: expected an object, got an array"},
        Unusable{"no_uid", without("/request/uid").dump(), "request.uid: missing"},
        Unusable{"empty_uid", with("/request/uid", "").dump(), "request.uid: missing"},
        Unusable{"null_uid", with("/request/uid", nullptr).dump(), "request.uid: expected a string, got null"},
        Unusable{"number_uid", with("/request/uid", 5).dump(), "request.uid: expected a string, got a number"},
        Unusable{"no_operation", without("/request/operation").dump(),
                 "request.operation: missing"},
        Unusable{"lower_operation", with("/request/operation", "create").dump(), "got create"},
        Unusable{"odd_operation", with("/request/operation", "PATCH").dump(), "got PATCH"},
        Unusable{"text_object", with("/request/object", "x").dump(),
                 "request.object: expected an object, got a string"},
        Unusable{"dry_run_text", with("/request/dryRun", "true").dump(),
                 "request.dryRun: expected true or false, got a string"},
        Unusable{"garbage_after", good().dump() + " x", "more text follows"},
        Unusable{"two_reviews", good().dump() + good().dump(), "more text follows"},
        Unusable{"extra_brace", good().dump() + "}", "more text follows"},
        Unusable{"bom", "\xef\xbb\xbf" + good().dump(), "byte 0"},
        Unusable{"utf16", "{\0"s, "a key"},
        Unusable{"bad_utf8_in_skipped_place",
                 test::with_raw(good(), "/request/userInfo", "\"\xff\""), "UTF-8"},
        Unusable{"control_in_skipped_place",
                 test::with_raw(good(), "/request/userInfo", "\"\x01\""), "control character"},
        Unusable{"mismatched_in_skipped_place",
                 test::with_raw(good(), "/request/userInfo", "{\"a\":[}"), "at byte"},
        Unusable{"half_a_pair_in_a_label",
                 test::with_raw(good(), "/request/object/metadata/labels/job-name", R"("\ud800")"),
                 "escape"},
        Unusable{"bad_escape_in_a_key",
                 test::with_raw(good(), "/request/object/metadata/labels", R"({"\x41":"a"})"),
                 "escape"},
        Unusable{"eight_mebibytes", std::string(8u << 20, ' '), "7340032", 413},
        Unusable{"one_byte_too_many",
                 good().dump() + std::string((7u << 20) + 1 - good().dump().size(), ' '), "7340032",
                 413}),
    case_name);

TEST(ReviewText, seven_mebibytes_are_read) {
  const std::string small = good().dump();
  EXPECT_EQ(admit(small + std::string((7u << 20) - small.size(), ' ')).outcome,
            outcome::Outcome::patched);
  json large = good();
  large["request"]["object"]["metadata"]["annotations"]["note"] = std::string(6u << 20, 'x');
  EXPECT_EQ(admit(large.dump()).outcome, outcome::Outcome::patched);
  large["request"]["object"]["metadata"]["annotations"]["note"] = std::string(1u << 20, '"');
  EXPECT_EQ(admit(large.dump()).outcome, outcome::Outcome::patched);
  EXPECT_EQ(admit(small).outcome, outcome::Outcome::patched) << "nothing of it stays behind";
}

TEST(ReviewText, cut_at_every_byte) {
  for (const std::string& whole :
       {good().dump(), test::review_of(test::full_pod()).dump(2), test::all_escaped(good())}) {
    ASSERT_EQ(admit(whole).status, 200u);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto answer = admit(whole.substr(0, size));
      ASSERT_EQ(answer.status, 400u) << size << ": " << whole.substr(0, size);
      ASSERT_FALSE(answer.message.empty());
    }
  }
}

TEST(ReviewText, one_byte_changed) {
  const std::string whole = test::review_of(test::full_pod()).dump();
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
      ASSERT_TRUE(test::well_formed(answer.body)) << text << '\n' << answer.body;
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

TEST(ReviewDepth, sixty_four_levels_counted_from_the_root) {
  json review = good();
  review["request"]["object"]["spec"]["unknown"] = nullptr;
  const std::string at = "/request/object/spec/unknown";  // inside of 4 levels
  for (const bool objects : {false, true}) {
    EXPECT_EQ(admit(test::with_raw(review, at, nested(60, true, objects))).outcome,
              outcome::Outcome::patched);
    const auto deep = admit(test::with_raw(review, at, nested(61, true, objects)));
    EXPECT_EQ(deep.status, 400u);
    EXPECT_NE(deep.message.find("deeper than 64"), std::string::npos) << deep.message;
  }
}

TEST(ReviewDepth, a_hundred_thousand_levels_anywhere) {
  json review = test::review_of(test::full_pod());
  review["request"]["object"]["spec"]["unknown"] = 1;
  review["unknown"] = 1;
  for (const std::string& pointer : test::pointers_of(review))
    for (const bool closed : {true, false})
      for (const bool objects : {true, false}) {
        const auto answer =
            admit(test::with_raw(review, pointer, nested(100'000, closed, objects)));
        ASSERT_EQ(answer.status, 400u) << pointer;
        if (!closed || !objects) break;
      }
  EXPECT_EQ(admit(nested(100'000)).status, 400u);
  EXPECT_EQ(admit(nested(3'000'000, false)).status, 400u);
}

// --- The same review, written otherwise ----------------------------------------------

TEST(ReviewSpelling, order_escapes_blanks_and_version_change_nothing) {
  for (const json& pod : {good()["request"]["object"], test::full_pod()}) {
    const json review = test::review_of(pod);
    const auto want = admit(review.dump());
    ASSERT_EQ(want.outcome, outcome::Outcome::patched);
    EXPECT_EQ(admit(test::reversed(review)).patch, want.patch);
    EXPECT_EQ(admit(test::all_escaped(review)).patch, want.patch);
    EXPECT_EQ(admit(review.dump(4)).patch, want.patch);
    EXPECT_EQ(admit("\n" + review.dump() + "\r\n ").patch, want.patch);
    json beta = review;
    beta["apiVersion"] = "admission.k8s.io/v1beta1";
    EXPECT_EQ(admit(beta.dump()).patch, want.patch);
  }
}

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
  ASSERT_EQ(want.outcome, outcome::Outcome::patched);
  EXPECT_EQ(admit(as_sent(good())).patch, want.patch);
  const json bad = with("/request/object/spec/hostname", 7);
  EXPECT_NE(admit(bad.dump()).message.find("request.object.spec.hostname"), std::string::npos);
  EXPECT_EQ(admit(as_sent(bad)).message, admit(bad.dump()).message);
  json worse = bad;
  worse["request"]["dryRun"] = "true";
  EXPECT_NE(admit(as_sent(worse)).message.find("request.dryRun: expected true or false, got a string"), std::string::npos)
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
    EXPECT_EQ(answer.outcome, outcome::Outcome::patched);
  }
}

// --- Reviews about something else ------------------------------------------------------

struct Other {
  std::string_view name;
  std::string pointer;
  json value;
};

class LeavesAlone : public testing::TestWithParam<Other> {};

TEST_P(LeavesAlone, without_a_patch) {
  const auto answer = admit(with(GetParam().pointer, GetParam().value).dump());
  EXPECT_EQ(answer.status, 200u) << answer.message;
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.patch, json::array());
  EXPECT_TRUE(answer.warnings.empty());
  EXPECT_EQ(answer.reason, outcome::Reason::not_a_pod);
}

INSTANTIATE_TEST_SUITE_P(
    Review, LeavesAlone,
    testing::Values(Other{"update", "/request/operation", "UPDATE"},
                    Other{"delete", "/request/operation", "DELETE"},
                    Other{"connect", "/request/operation", "CONNECT"},
                    Other{"null_object", "/request/object", nullptr},
                    Other{"status", "/request/subResource", "status"},
                    Other{"binding", "/request/subResource", "binding"},
                    Other{"resize", "/request/subResource", "resize"},
                    Other{"other_kind",
                          "/request/kind",
                          {{"group", ""}, {"version", "v1"}, {"kind", "Binding"}}},
                    Other{"other_group", "/request/kind/group", "apps"},
                    Other{"other_version", "/request/kind/version", "v2"},
                    Other{"no_kind", "/request/kind", nullptr},
                    Other{"empty_kind", "/request/kind", json::object()}),
    case_name);

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
    EXPECT_EQ(admit(review.dump()).reason, outcome::Reason::not_a_pod) << object;
  }
}

TEST(OtherReviews, a_deletion_has_its_object_in_another_place) {
  json review = good();
  review["request"]["operation"] = "DELETE";
  review["request"]["oldObject"] = review["request"]["object"];
  review["request"]["object"] = nullptr;
  EXPECT_EQ(admit(review.dump()).reason, outcome::Reason::not_a_pod);
  review["request"].erase("object");
  EXPECT_EQ(admit(review.dump()).reason, outcome::Reason::not_a_pod);
}

}  // namespace
}  // namespace tpuwh::webhook::read
