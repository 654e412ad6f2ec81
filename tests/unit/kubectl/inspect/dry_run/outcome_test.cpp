// Who refused a dry run, by what the API server says. The texts are those of Kubernetes 1.37.2,
// where tests/e2e/test_dry_run.py does not have them from a real one.
#include "kubectl/inspect/dry_run/outcome.hpp"

#include "tests/unit/kubectl/inspect/dry_run/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tpuwh::server::dry_run {
namespace {

using testing::HasSubstr;
using enum Who;

struct Said {
  unsigned code;
  std::string reason;
  std::string before, words;  // the message; its end is Outcome::words
  Who who;
  std::string by = "";  // Outcome::name
};

const std::string forbidden = R"(pods "probe-job-0f3a" is forbidden: )";

const Said sentences[] = {
    {422, "Invalid", "admission webhook \"pods.tpu-webhook.dev\" denied the request: ",
     "TPU-103: topology 3x3", webhook, "pods.tpu-webhook.dev"},
    {403, "Forbidden", "admission webhook \"validate.kyverno.svc-fail\" denied the request: ",
     "no \"latest\"", webhook, "validate.kyverno.svc-fail"},
    {403, "Forbidden", "admission webhook \"a.b.c\" denied the request: ",
     "pods \"p\" is forbidden: exceeded quota: q, x", webhook, "a.b.c"},
    {500, "InternalError", "admission webhook \"a.b.c\" denied the request: ",
     "failed calling webhook \"pods.tpu-webhook.dev\"", webhook, "a.b.c"},
    {500, "InternalError",
     "Internal error occurred: failed calling webhook \"pods.tpu-webhook.dev\": failed to call "
     "webhook: ",
     "Post \"https://tpu-webhook.x.svc:443/mutate?timeout=10s\": dial tcp 10.0.0.1:443: connect: "
     "connection refused",
     webhook_failed, "pods.tpu-webhook.dev"},
    {500, "InternalError", "Internal error occurred: failed calling webhook \"a.b.c\": ",
     "received invalid webhook response: expected response.uid=\"U\", got \"V\"", webhook_failed,
     "a.b.c"},
    {400, "BadRequest", "admission webhook \"a.b.c\" does not support dry run", "", no_dry_run,
     "a.b.c"},
    {403, "Forbidden", "pods is forbidden: ",
     "User \"jane\" cannot create resource \"pods\" in API group \"\" in the namespace \"ml\"",
     rights},
    {401, "Unauthorized", "", "Unauthorized", credentials},
    {404, "NotFound", "", "namespaces \"ml\" not found", no_namespace},
    {403, "Forbidden", forbidden,
     "unable to create new content in namespace ml because it is being terminated", no_namespace},
    {404, "NotFound", "", "the server could not find the requested resource", not_served},
    {409, "AlreadyExists", "", "pods \"p\" already exists", exists},
    {409, "Conflict", "", "Operation cannot be fulfilled on resourcequotas \"q\"", busy},
    {403, "Forbidden", forbidden,
     "exceeded quota: compute, requested: pods=1, used: pods=0, limited: pods=0", quota, "compute"},
    {403, "Forbidden", forbidden, "failed quota: compute: must specify limits.memory for: main",
     quota, "compute"},
    {403, "Forbidden", forbidden,
     "insufficient quota to match these scopes: [{PriorityClass In [high]}]", quota},
    {403, "Forbidden", forbidden, "status unknown for quota: compute, resources: pods",
     quota_unknown, "compute"},
    {403, "Forbidden", forbidden + "violates PodSecurity \"restricted:latest\": ",
     "runAsNonRoot != true (…)", pod_security, "restricted:latest"},
    {403, "Forbidden", forbidden, "minimum cpu usage per Container is 1, but request is 100m",
     limit_range},
    {403, "Forbidden", forbidden,
     "[maximum cpu usage per Pod is 1, but limit is 2, memory max limit to request ratio per Pod "
     "is 1, but provided ratio is 2.000000]",
     limit_range},
    {403, "Forbidden", forbidden,
     "error looking up service account ml/default: serviceaccount \"default\" not found",
     service_account},
    {403, "Forbidden", forbidden, "no PriorityClass with name tpu-high was found", priority_class,
     "tpu-high"},
    {422, "Invalid",
     forbidden + "ValidatingAdmissionPolicy 'no-tpu' with binding 'all' denied request: ",
     "not here", policy, "no-tpu"},
    {403, "Forbidden", forbidden + "ValidatingAdmissionPolicy 'no-tpu' denied request: ",
     "exceeded quota: q", policy, "no-tpu"},
    {422, "Invalid", forbidden + "policy 'sidecar' with binding 'all' denied request: ",
     "no such field", policy, "sidecar"},
    {403, "Forbidden", forbidden,
     "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set "
     "finalizers on: , <nil>",
     owner_references},
    {403, "Forbidden", forbidden, "pod rejected: RuntimeClass \"gvisor\" not found", plug_in},
    {422, "Invalid", "", "Pod \"p\" is invalid: spec.containers: Required value", fields},
    {400, "BadRequest", "", "strict decoding error: unknown field \"spec.tpu\"", fields},
    {429, "TooManyRequests", "", "too many requests, please try again later", busy},
    {504, "Timeout", "", "Timeout: request did not complete within requested timeout", busy},
    {500, "InternalError", "", "Internal error occurred: add operation does not apply", api_server},
    {502, "", "", "<html> bad gateway", api_server},
    {403, "Forbidden", "", "admission webhook \"a denied the request", plug_in},
    {403, "Forbidden", "", "", plug_in},
};

// A refusal that has no sentence here would be a claim that nobody checked.
TEST(Outcome, names_who_refused_it_for_every_refusal) {
  std::set<Who> named;
  for (const Said& each : sentences) {
    const std::string message = each.before + each.words;
    SCOPED_TRACE(message);
    const Outcome outcome = outcome_of(refusal(each.code, each.reason, message));
    EXPECT_EQ(outcome.who, each.who) << static_cast<int>(outcome.who);
    EXPECT_EQ(outcome.name, each.by);
    EXPECT_EQ(outcome.words, each.words);
    EXPECT_THAT(said(outcome), HasSubstr(each.by));
    EXPECT_THAT(said(outcome), HasSubstr(each.words));
    named.insert(each.who);
  }
  for (int i = 0; i <= static_cast<int>(Who::api_server); ++i) {
    const auto who = static_cast<Who>(i);
    if (who == Who::nobody || who == Who::not_reached) continue;
    EXPECT_TRUE(named.contains(who)) << i;
  }
}

TEST(Outcome, a_denial_without_a_word_is_without_a_reason) {
  const Outcome outcome = outcome_of(
      refusal(400, "", "admission webhook \"a.b.c\" denied the request without explanation"));
  EXPECT_EQ(outcome.who, Who::webhook);
  EXPECT_EQ(outcome.name, "a.b.c");
  EXPECT_EQ(said(outcome), "webhook a.b.c denied it: without a reason");
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
