#include "webhook/answer/respond.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/admitted.hpp"
#include "webhook/answer/workspace.hpp"

namespace tpuwh::webhook::answer {
namespace {

using namespace std::string_literals;
using namespace test;
using test::admit;

json response(const Admitted& answer) {
  return json::parse(answer.body)["response"];
}

// Colours, the other direction, a control of the upper half: nothing of it reaches a terminal.
TEST(Response, is_a_sentence_on_one_line) {
  const std::string said =
      status_text(503, "ServiceUnavailable", "a\x1b[31m\nb\u009b\u202e\u2066\u2028\u00e4\x7f c");
  const auto message = json::parse(said)["message"].get<std::string>();
  EXPECT_EQ(message.find_first_not_of(
                " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
                "abcdefghijklmnopqrstuvwxyz{|}~"),
            std::string::npos)
      << message;
  EXPECT_TRUE(message.starts_with("a?[31m?b??")) << message;
}

// Keys become "<webhook name>/<key>": no slash, at most 63 characters.
TEST(Response, audit_keys_are_qualified_names) {
  for (const auto& pod :
       {a_pod().job("train", 1).on("2x4", 4), a_pod().job("train", 9).on("2x4", 4), a_pod().tpu(4),
        a_pod().on("2x2", 4)})
    for (const json answer = response(admit(pod));
         const auto& [key, value] : answer["auditAnnotations"].items()) {
      EXPECT_EQ(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_-"), std::string::npos) << key;
      EXPECT_TRUE(value.is_string());
    }
}

TEST(Response, what_users_wrote_is_harmless_in_warnings_and_messages) {
  // A warning with a control character is dropped by the API server; admit() checks.
  const std::string evil = "x\n\t\x01\"\\\x7f\xc3\xa4"s + std::string(500, 'y');
  auto pod = a_pod().job("train", 1).on("2x4", 4).env("TPU_WORKER_ID", evil).env("TPU_NAME", evil);
  pod.set("/spec/dnsPolicy", "None").set("/spec/hostnameOverride", evil);
  const auto warned = admit(pod);
  EXPECT_GE(warned.warnings.size(), 3u);
  for (const std::string& warning : warned.warnings) EXPECT_LT(warning.size(), 256u) << warning;
  for (const auto& denied :
       {a_pod().job(evil, 1).on("2x4", 4), a_pod().job("t", 1).on(evil, 4),
        a_pod().job("t", 1).on("2x4", 4).label("batch.kubernetes.io/job-completion-index", evil),
        a_pod().job("t", 1).on("2x4", 4).set("/spec/subdomain", evil)}) {
    const auto answer = admit(denied);
    EXPECT_FALSE(answer.allowed);
    EXPECT_EQ(answer.message.find_first_of("\n\t\x01\x7f"), std::string::npos);
    EXPECT_LT(answer.message.size(), 600u) << answer.message;
  }
}

// Whose it is stands in the log, as far as it was read.
TEST(ARefusal, says_whose_review_it_was_and_why) {
  struct Case {
    ErrorCode code;
    unsigned status;
    const char* reason;
    outcome::Outcome outcome;
    outcome::Reason logged;
  };
  const Case cases[] = {
      {base::Errc::too_large, 413, "RequestEntityTooLarge", Outcome::unusable, Reason::too_large},
      {base::Errc::internal, 500, "InternalError", Outcome::failed, Reason::internal_error},
      {base::Errc::bad_value, 400, "BadRequest", Outcome::unusable, Reason::unreadable}};
  Workspace workspace;
  workspace.impl().review.uid = "u";
  workspace.impl().review.ns = "n";
  for (const Case& each : cases) {
    const Answer answer = refuse(Error(each.code, "why"), workspace.impl());
    EXPECT_EQ(answer.http_status, each.status);
    EXPECT_EQ(answer.summary.outcome, each.outcome) << each.reason;
    EXPECT_EQ(answer.summary.reason, each.logged) << each.reason;
    EXPECT_EQ(answer.summary.uid, "u");
    EXPECT_EQ(answer.summary.ns, "n");
    const json body = json::parse(answer.body);
    EXPECT_EQ(body["code"], each.status);
    EXPECT_EQ(body["reason"], each.reason);
    EXPECT_EQ(body["message"], "why");
  }
}

TEST(ResponseStatus, is_a_status_of_version_one) {
  write::Json out;
  respond_status(413, "RequestEntityTooLarge", "a \"quoted\"\nmessage", out);
  EXPECT_EQ(json::parse(out.view()),
            json::parse(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
                            "message":"a \"quoted\"?message","reason":"RequestEntityTooLarge","code":413})"));
  EXPECT_TRUE(out.view().ends_with("}\n"));
}

}  // namespace
}  // namespace tpuwh::webhook::answer
