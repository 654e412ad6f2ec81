// Who refused a dry run, by what the API server says. The texts are those of Kubernetes 1.37.2,
// where tests/e2e/test_dry_run.py does not have them from a real one.
#include "kubectl/inspect/dry_run/outcome.hpp"

#include "tests/support/named_case.hpp"
#include "tests/unit/kubectl/inspect/dry_run/answers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tpuwh::server::dry_run {
namespace {

using test::case_name;
using test::PrintTo;
using testing::HasSubstr;

struct Said {
  std::string name;
  unsigned code;
  std::string reason;
  std::string message;
  Who who;
  std::string by;     // Outcome::name
  std::string words;  // Outcome::words
};

class OutcomeTest : public testing::TestWithParam<Said> {};

TEST_P(OutcomeTest, names_who_refused_it) {
  const Said& said_so = GetParam();
  const Outcome outcome = outcome_of(refusal(said_so.code, said_so.reason, said_so.message));
  EXPECT_EQ(outcome.who, said_so.who) << static_cast<int>(outcome.who);
  EXPECT_EQ(outcome.name, said_so.by);
  EXPECT_EQ(outcome.words, said_so.words);
  if (!said_so.by.empty()) {
    EXPECT_THAT(said(outcome), HasSubstr(said_so.by));
  }
  EXPECT_THAT(said(outcome), HasSubstr(said_so.words));
}

const std::string forbidden = R"(pods "probe-job-0f3a" is forbidden: )";

const Said sentences[] = {
    {"our_denial", 422, "Invalid",
     "admission webhook \"pods.tpu-webhook.dev\" denied the request: TPU-103: topology 3x3",
     Who::webhook, "pods.tpu-webhook.dev", "TPU-103: topology 3x3"},
    {"a_denial_of_others", 403, "Forbidden",
     "admission webhook \"validate.kyverno.svc-fail\" denied the request: no \"latest\"",
     Who::webhook, "validate.kyverno.svc-fail", "no \"latest\""},
    {"a_denial_without_a_word", 400, "",
     "admission webhook \"a.b.c\" denied the request without explanation", Who::webhook, "a.b.c",
     "without a reason"},
    {"a_denial_that_sounds_like_a_quota", 403, "Forbidden",
     "admission webhook \"a.b.c\" denied the request: pods \"p\" is forbidden: exceeded quota: q, "
     "x",
     Who::webhook, "a.b.c", "pods \"p\" is forbidden: exceeded quota: q, x"},
    {"a_denial_that_sounds_like_an_outage", 500, "InternalError",
     "admission webhook \"a.b.c\" denied the request: failed calling webhook "
     "\"pods.tpu-webhook.dev\"",
     Who::webhook, "a.b.c", "failed calling webhook \"pods.tpu-webhook.dev\""},
    {"nobody_listens", 500, "InternalError",
     "Internal error occurred: failed calling webhook \"pods.tpu-webhook.dev\": failed to call "
     "webhook: Post \"https://tpu-webhook.x.svc:443/mutate?timeout=10s\": dial tcp 10.0.0.1:443: "
     "connect: connection refused",
     Who::webhook_failed, "pods.tpu-webhook.dev",
     "Post \"https://tpu-webhook.x.svc:443/mutate?timeout=10s\": dial tcp 10.0.0.1:443: connect: "
     "connection refused"},
    {"a_useless_answer", 500, "InternalError",
     "Internal error occurred: failed calling webhook \"a.b.c\": received invalid webhook "
     "response: "
     "expected response.uid=\"U\", got \"V\"",
     Who::webhook_failed, "a.b.c",
     "received invalid webhook response: expected response.uid=\"U\", got \"V\""},
    {"no_dry_run", 400, "BadRequest", "admission webhook \"a.b.c\" does not support dry run",
     Who::no_dry_run, "a.b.c", ""},
    {"no_rights", 403, "Forbidden",
     "pods is forbidden: User \"jane\" cannot create resource \"pods\" in API group \"\" in the "
     "namespace \"ml\"",
     Who::rights, "",
     "User \"jane\" cannot create resource \"pods\" in API group \"\" in the namespace \"ml\""},
    {"nobody_logged_in", 401, "Unauthorized", "Unauthorized", Who::credentials, "", "Unauthorized"},
    {"no_namespace", 404, "NotFound", "namespaces \"ml\" not found", Who::no_namespace, "",
     "namespaces \"ml\" not found"},
    {"a_namespace_that_ends", 403, "Forbidden",
     forbidden + "unable to create new content in namespace ml because it is being terminated",
     Who::no_namespace, "",
     "unable to create new content in namespace ml because it is being terminated"},
    {"no_such_kind", 404, "NotFound", "the server could not find the requested resource",
     Who::not_served, "", "the server could not find the requested resource"},
    {"it_exists", 409, "AlreadyExists", "pods \"p\" already exists", Who::exists, "",
     "pods \"p\" already exists"},
    {"a_conflict", 409, "Conflict", "Operation cannot be fulfilled on resourcequotas \"q\"",
     Who::busy, "", "Operation cannot be fulfilled on resourcequotas \"q\""},
    {"a_quota", 403, "Forbidden",
     forbidden + "exceeded quota: compute, requested: pods=1, used: pods=0, limited: pods=0",
     Who::quota, "compute",
     "exceeded quota: compute, requested: pods=1, used: pods=0, limited: pods=0"},
    {"a_quota_that_asks_for_more_fields", 403, "Forbidden",
     forbidden + "failed quota: compute: must specify limits.memory for: main", Who::quota,
     "compute", "failed quota: compute: must specify limits.memory for: main"},
    {"a_quota_of_scopes", 403, "Forbidden",
     forbidden + "insufficient quota to match these scopes: [{PriorityClass In [high]}]",
     Who::quota, "", "insufficient quota to match these scopes: [{PriorityClass In [high]}]"},
    {"a_quota_that_nobody_counted", 403, "Forbidden",
     forbidden + "status unknown for quota: compute, resources: pods", Who::quota_unknown,
     "compute", "status unknown for quota: compute, resources: pods"},
    {"pod_security", 403, "Forbidden",
     forbidden + "violates PodSecurity \"restricted:latest\": runAsNonRoot != true (…)",
     Who::pod_security, "restricted:latest", "runAsNonRoot != true (…)"},
    {"a_limit", 403, "Forbidden",
     forbidden + "minimum cpu usage per Container is 1, but request is 100m", Who::limit_range, "",
     "minimum cpu usage per Container is 1, but request is 100m"},
    {"two_limits", 403, "Forbidden",
     forbidden +
         "[maximum cpu usage per Pod is 1, but limit is 2, memory max limit to request ratio "
         "per Pod is 1, but provided ratio is 2.000000]",
     Who::limit_range, "",
     "[maximum cpu usage per Pod is 1, but limit is 2, memory max limit to request ratio per Pod "
     "is "
     "1, but provided ratio is 2.000000]"},
    {"no_account", 403, "Forbidden",
     forbidden +
         "error looking up service account ml/default: serviceaccount \"default\" not found",
     Who::service_account, "",
     "error looking up service account ml/default: serviceaccount \"default\" not found"},
    {"no_priority_class", 403, "Forbidden",
     forbidden + "no PriorityClass with name tpu-high was found", Who::priority_class, "tpu-high",
     "no PriorityClass with name tpu-high was found"},
    {"a_policy", 422, "Invalid",
     forbidden + "ValidatingAdmissionPolicy 'no-tpu' with binding 'all' denied request: not here",
     Who::policy, "no-tpu", "not here"},
    {"a_policy_that_forbids", 403, "Forbidden",
     forbidden + "ValidatingAdmissionPolicy 'no-tpu' denied request: exceeded quota: q",
     Who::policy, "no-tpu", "exceeded quota: q"},
    {"a_policy_that_changes", 422, "Invalid",
     forbidden + "policy 'sidecar' with binding 'all' denied request: no such field", Who::policy,
     "sidecar", "no such field"},
    {"a_foreign_finalizer", 403, "Forbidden",
     forbidden +
         "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't "
         "set finalizers on: , <nil>",
     Who::owner_references, "",
     "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set "
     "finalizers on: , <nil>"},
    {"a_runtime_class", 403, "Forbidden",
     forbidden + "pod rejected: RuntimeClass \"gvisor\" not found", Who::plug_in, "",
     "pod rejected: RuntimeClass \"gvisor\" not found"},
    {"a_wrong_value", 422, "Invalid", "Pod \"p\" is invalid: spec.containers: Required value",
     Who::fields, "", "Pod \"p\" is invalid: spec.containers: Required value"},
    {"an_unknown_field", 400, "BadRequest", "strict decoding error: unknown field \"spec.tpu\"",
     Who::fields, "", "strict decoding error: unknown field \"spec.tpu\""},
    {"too_many_requests", 429, "TooManyRequests", "too many requests, please try again later",
     Who::busy, "", "too many requests, please try again later"},
    {"no_time_left", 504, "Timeout", "Timeout: request did not complete within requested timeout",
     Who::busy, "", "Timeout: request did not complete within requested timeout"},
    {"a_broken_patch", 500, "InternalError",
     "Internal error occurred: add operation does not apply", Who::api_server, "",
     "Internal error occurred: add operation does not apply"},
    {"a_page_of_a_proxy", 502, "", "<html> bad gateway", Who::api_server, "", "<html> bad gateway"},
    {"a_name_that_does_not_end", 403, "Forbidden", "admission webhook \"a denied the request",
     Who::plug_in, "", "admission webhook \"a denied the request"},
    {"nothing", 403, "Forbidden", "", Who::plug_in, "", ""},
};

INSTANTIATE_TEST_SUITE_P(, OutcomeTest, testing::ValuesIn(sentences), case_name);

// A refusal that has no sentence here would be a claim that nobody checked.
TEST(Outcome, every_refusal_has_a_sentence) {
  std::set<Who> named;
  for (const Said& each : sentences) named.insert(each.who);
  for (int i = 0; i <= static_cast<int>(Who::api_server); ++i) {
    const auto who = static_cast<Who>(i);
    if (who == Who::nobody || who == Who::not_reached) continue;
    EXPECT_TRUE(named.contains(who)) << i;
  }
}

TEST(Outcome, an_object_that_would_be_stored_is_refused_by_nobody) {
  Answer answer;
  answer.answered = true;
  EXPECT_EQ(outcome_of(answer).who, Who::nobody);
  EXPECT_TRUE(was_asked(Who::nobody));
}

TEST(Outcome, without_an_answer_nothing_is_refused) {
  Answer answer;
  answer.error = "cannot connect to 127.0.0.1:6443: connection refused";
  const Outcome outcome = outcome_of(answer);
  EXPECT_EQ(outcome.who, Who::not_reached);
  EXPECT_FALSE(was_asked(outcome.who));
  EXPECT_EQ(said(outcome),
            "the API server gave no answer: cannot connect to 127.0.0.1:6443: connection refused");
}

// Not being asked is an answer of its own.
TEST(Outcome, who_was_not_asked_refused_nothing) {
  for (const Who who : {Who::rights, Who::credentials, Who::no_namespace, Who::not_served,
                        Who::exists, Who::no_dry_run, Who::busy, Who::quota_unknown,
                        Who::service_account, Who::owner_references})
    EXPECT_FALSE(was_asked(who)) << static_cast<int>(who);
  for (const Who who :
       {Who::webhook, Who::webhook_failed, Who::policy, Who::quota, Who::pod_security,
        Who::limit_range, Who::priority_class, Who::fields, Who::plug_in, Who::api_server})
    EXPECT_TRUE(was_asked(who)) << static_cast<int>(who);
}

TEST(Outcome, our_entries_are_known_by_their_names) {
  for (const char* name : {"pods.tpu-webhook.dev", "job.pods.tpu-webhook.dev",
                           "workloads.tpu-webhook.dev", "shadow.pods.tpu-webhook.dev"})
    EXPECT_TRUE(is_ours(name)) << name;
  for (const char* name :
       {"", "pods.not-tpu-webhook.dev", "tpu-webhook.dev.example.com", "mpod.kb.io"})
    EXPECT_FALSE(is_ours(name)) << name;
}

}  // namespace
}  // namespace tpuwh::server::dry_run
