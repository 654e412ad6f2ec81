// What `doctor --probe` says: each cause made by the values that the API server would give.
#include "webhook/answer/probe.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/layout.hpp"
#include "kubectl/inspect/doctor/probe_pod.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "server/text/json_text.hpp"
#include "tests/support/admitted.hpp"
#include "tests/support/named_case.hpp"
#include "tests/unit/kubectl/inspect/doctor/installed.hpp"
#include "tests/unit/kubectl/inspect/dry_run/answers.hpp"
#include "webhook/workloads/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace tpuwh::server::doctor {
namespace {

using dry_run::refusal;
using test::case_name;
using test::PrintTo;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string nonce = "00112233445566778899aabbccddeeff";
const std::string prefix = "tpu-webhook.dev/";

// ---- the Pods

struct OfWorkload {
  std::string name;
};

std::vector<OfWorkload> each_workload() {
  std::vector<OfWorkload> out;
  for (const auto& each : webhook::workloads::workloads()) out.push_back({std::string(each.name)});
  return out;
}

class ProbePodTest : public testing::TestWithParam<OfWorkload> {};

test::Admitted tried(const std::string& workload, webhook::config::Config config = {}) {
  config.replica = "replica-a";
  test::json review = test::review_of(probe_pod(workload, prefix, nonce));
  review["request"]["dryRun"] = true;
  return test::admit(review.dump(), {.config = config});
}

TEST_P(ProbePodTest, is_of_its_api_and_is_changed_without_a_complaint) {
  const auto answer = tried(GetParam().name);
  EXPECT_TRUE(answer.allowed) << answer.message;
  EXPECT_EQ(answer.outcome, webhook::outcome::Outcome::patched);
  ASSERT_EQ(answer.warnings.size(), 1u) << answer.warnings[1];
  EXPECT_EQ(webhook::answer::replica_of(answer.warnings.front(), nonce), "replica-a");
  EXPECT_EQ(test::effective(answer, "TPU_WORKER_ID"), "1");
  EXPECT_FALSE(test::annotation(answer, prefix + "injected").empty());
}

// Of the entries that are for Pods of enforced APIs, those whose selector its labels meet.
TEST_P(ProbePodTest, reaches_the_entry_of_its_api) {
  const View view = installed();
  const Json pod = probe_pod(GetParam().name, prefix, nonce);
  std::vector<std::string> reached;
  for (const Json& entry : entries_of(view.configuration.object)) {
    const Json& selector = text::member(entry, "objectSelector");
    if (is_shadow(entry) || is_of_claims(entry)) continue;
    if (!selector.is_object() || objects::finds(selector, pod["metadata"]["labels"]))
      for (const auto& each : workloads_of(view, entry)) reached.push_back(each);
  }
  EXPECT_THAT(reached, testing::Contains(GetParam().name));
}

TEST_P(ProbePodTest, asks_for_no_more_than_the_restricted_level_allows) {
  const Json pod = probe_pod(GetParam().name, prefix, nonce);
  const Json& container = pod["spec"]["containers"][0];
  const Json& security = container["securityContext"];
  EXPECT_EQ(security["allowPrivilegeEscalation"], false);
  EXPECT_EQ(security["runAsNonRoot"], true);
  EXPECT_EQ(security["capabilities"]["drop"], Json::array({"ALL"}));
  EXPECT_EQ(security["seccompProfile"]["type"], "RuntimeDefault");
  for (const char* field : {"volumes", "hostNetwork", "hostPID", "initContainers"})
    EXPECT_FALSE(pod["spec"].contains(field)) << field;
  EXPECT_EQ(pod["spec"]["automountServiceAccountToken"], false);
}

INSTANTIATE_TEST_SUITE_P(, ProbePodTest, testing::ValuesIn(each_workload()), case_name);

// ---- the judgement

dry_run::Answer denied(const std::string& why) {
  return refusal(403, "Forbidden", why);
}

dry_run::Answer forbidden(const std::string& why) {
  return denied("pods \"probe-job-00112233\" is forbidden: " + why);
}

// Returns the API server's refusal if it cannot reach a webhook, or cannot use the webhook's
// answer.
dry_run::Answer failed(const std::string& why) {
  return refusal(500, "InternalError", "Internal error occurred: failed calling webhook " + why);
}

// What comes back where this program is asked.
dry_run::Answer answered(webhook::config::Config config = {}) {
  const auto said = tried("job", std::move(config));
  return dry_run::accepted(Json::parse(said.object.dump()), said.warnings);
}

// And where it is not.
dry_run::Answer unchanged() {
  return dry_run::accepted(probe_pod("job", prefix, nonce));
}

dry_run::Answer with_replica(dry_run::Answer answer) {
  answer.warnings = {"of somebody else", webhook::answer::probe_text(nonce, "replica-a")};
  return answer;
}

View probed(dry_run::Answer answer, const std::string& ns = "ml") {
  View view = installed();
  view.probe_ns = ns;
  view.probes = {{.workload = "job", .nonce = nonce, .answer = std::move(answer)}};
  return view;
}

Check judged(const View& view) {
  Checks out;
  check_probes(view, out);
  EXPECT_EQ(out.size(), 1u);
  return out.empty() ? Check{} : out.front();
}

struct Cause {
  std::string name;
  std::function<View()> made;
  Verdict verdict;
  std::string what;  // part of it
  std::string fix;   // part of it
};

View in_shadow_namespace(dry_run::Answer answer) {
  View view = probed(std::move(answer), "quiet");
  view.namespaces.items.push_back(namespace_of("quiet", {{"tpu-webhook.dev/mode", "shadow"}}));
  return view;
}

View with_policy(const char* policy, dry_run::Answer answer) {
  View view = probed(std::move(answer));
  for (Json& entry : view.configuration.object["webhooks"]) entry["failurePolicy"] = policy;
  return view;
}

// Nothing but the namespace's name is known, as an account knows that may create Pods alone.
View nothing_read(dry_run::Answer answer) {
  View view;
  view.ns = here;
  view.configuration = not_known("RBAC missing: get mutatingwebhookconfigurations");
  view.probe_ns = "ml";
  view.probes = {{.workload = "job", .nonce = nonce, .answer = std::move(answer)}};
  return view;
}

const std::string calling =
    "\"pods.tpu-webhook.dev\": failed to call webhook: Post "
    "\"https://tpu-webhook.x.svc:443/mutate\": ";
const std::string by_another = "admission webhook \"a.b.c\" ";

const Cause causes[] = {
    {"answered", [] { return probed(answered()); }, Verdict::ok,
     "a dry-run Pod of job in namespace ml is answered by replica replica-a, and is changed", ""},
    {"shadow_mode", [] { return probed(answered({.mode = webhook::config::Mode::shadow})); },
     Verdict::ok, "is answered by replica replica-a in shadow mode, so it is left unchanged", ""},
    {"answered_and_left_alone",
     [] { return probed(answered({.workloads = {webhook::config::WorkloadKind::ray}})); },
     Verdict::warn, "replica-a, which leaves it unchanged", "logs deployment/tpu-webhook"},
    {"an_older_release",
     [] {
       auto answer = answered();
       answer.warnings.clear();
       return probed(answer);
     },
     Verdict::warn, "is changed by who does not answer probes", "upgrade"},
    {"our_refusal",
     [] {
       return probed(with_replica(refusal(
           422, "Invalid",
           "admission webhook \"pods.tpu-webhook.dev\" denied the request: TPU-701: forbidden")));
     },
     Verdict::fail, "replica-a, which refuses it: TPU-701: forbidden", "docs/messages.md"},
    {"a_quota_after_us",
     [] { return probed(with_replica(forbidden("exceeded quota: compute, requested: pods=1"))); },
     Verdict::warn,
     "replica-a; whether it is changed was not seen, because afterwards ResourceQuota compute "
     "refused it",
     "--probe-namespace"},
    {"pod_security_after_us",
     [] {
       return probed(with_replica(forbidden("violates PodSecurity \"restricted:latest\": x")));
     },
     Verdict::warn, "afterwards Pod Security at level restricted:latest refused it",
     "--probe-namespace"},
    {"another_webhook_after_us",
     [] { return probed(with_replica(denied(by_another + "denied the request: no"))); },
     Verdict::warn, "afterwards webhook a.b.c denied it: no", "--probe-namespace"},
    {"another_webhook_before_us",
     [] { return probed(denied(by_another + "denied the request: no")); }, Verdict::unknown,
     "does not show whether a replica answers: webhook a.b.c denied it: no", "--probe-namespace"},
    {"nobody_listens", [] { return probed(failed(calling + "connect: connection refused")); },
     Verdict::fail,
     "no replica is reached (blocked): entry pods.tpu-webhook.dev, failurePolicy Fail",
     "get pods -l app.kubernetes.io/name=tpu-webhook"},
    {"a_firewall", [] { return probed(failed(calling + "context deadline exceeded")); },
     Verdict::fail, "blocked", "firewall"},
    {"a_certificate_that_is_not_trusted",
     [] {
       return probed(failed(calling +
                            "tls: failed to verify certificate: x509: certificate signed by "
                            "unknown authority"));
     },
     Verdict::fail, "blocked", "does not trust the certificate"},
    {"a_useless_answer",
     [] {
       return probed(failed("\"pods.tpu-webhook.dev\": received invalid webhook response: x"));
     },
     Verdict::fail, "received invalid webhook response: x", "logs deployment/tpu-webhook"},
    {"blocked_and_ignored", [] { return with_policy("Ignore", unchanged()); }, Verdict::fail,
     "failurePolicy Ignore hides that the way is blocked", "logs"},
    {"blocked_and_watched",
     [] {
       View view = with_policy("Ignore", unchanged());
       set(view, {{"mode", "shadow"}});
       return view;
     },
     Verdict::warn, "hides that the way is blocked; Pods in shadow mode are created all the same",
     "logs"},
    {"blocked_in_a_shadow_namespace", [] { return in_shadow_namespace(unchanged()); },
     Verdict::warn,
     "entry shadow.pods.tpu-webhook.dev is for it, and its failurePolicy Ignore hides", "logs"},
    {"a_namespace_that_is_left_out", [] { return probed(unchanged(), "kube-system"); },
     Verdict::fail, "is not selected: no entry is for Pods of this namespace", "--probe-namespace"},
    {"a_selector_that_leaves_it_out", [] { return with_policy("Fail", unchanged()); },
     Verdict::fail, "is not selected: entry", "helm upgrade"},
    {"a_quota_without_us",
     [] { return with_policy("Fail", forbidden("exceeded quota: compute, requested: pods=1")); },
     Verdict::fail, "afterwards ResourceQuota compute refused it", "helm upgrade"},
    {"no_configuration",
     [] {
       View view = probed(unchanged());
       view.configuration = absent();
       return view;
     },
     Verdict::fail, "is not sent to anybody", "helm upgrade"},
    {"nothing_may_be_read", [] { return nothing_read(unchanged()); }, Verdict::fail,
     "not selected, or, if failurePolicy is Ignore, the way is blocked; which of the two is not "
     "known: RBAC missing",
     "permission to get the MutatingWebhookConfiguration"},
    {"answered_where_nothing_may_be_read", [] { return nothing_read(answered()); }, Verdict::ok,
     "is answered by replica replica-a, and is changed", ""},
    {"no_rights",
     [] {
       return probed(denied("pods is forbidden: User \"jane\" cannot create resource \"pods\""));
     },
     Verdict::unknown, "could not be asked about: the permission to create it is missing",
     "somebody who may create Pods in namespace ml"},
    {"no_namespace", [] { return probed(refusal(404, "NotFound", "namespaces \"ml\" not found")); },
     Verdict::unknown, "could not be asked about: its namespace does not exist",
     "a namespace that exists"},
    {"a_webhook_with_side_effects",
     [] { return probed(refusal(400, "BadRequest", by_another + "does not support dry run")); },
     Verdict::unknown, "webhook a.b.c has side effects and takes no dry run", "sideEffects"},
    {"no_service_account",
     [] { return probed(forbidden("error looking up service account ml/default: not found")); },
     Verdict::unknown, "its ServiceAccount is not there", "wait until namespace ml"},
    {"no_api_server", [] { return probed({.error = "connection refused"}); }, Verdict::unknown,
     "the API server gave no answer: connection refused", "try again"},
};

class CauseTest : public testing::TestWithParam<Cause> {};

TEST_P(CauseTest, is_named) {
  const Check check = judged(GetParam().made());
  EXPECT_EQ(check.check, "probe");
  EXPECT_EQ(name(check.verdict), name(GetParam().verdict)) << check.what;
  EXPECT_THAT(check.what, HasSubstr(GetParam().what));
  EXPECT_THAT(check.fix, HasSubstr(GetParam().fix));
  EXPECT_EQ(check.fix.empty(), check.verdict == Verdict::ok);
}

INSTANTIATE_TEST_SUITE_P(, CauseTest, testing::ValuesIn(causes), case_name);

// Labels that were not read: with Fail it is sure all the same.
TEST(Probes, an_unread_namespace_leaves_open_what_a_policy_does_not_decide) {
  View view = with_policy("Fail", unchanged());
  view.namespaces = {};
  for (Json& entry : view.configuration.object["webhooks"])
    entry["namespaceSelector"] = {{"matchLabels", {{"team", "a"}}}};
  EXPECT_THAT(judged(view).what,
              HasSubstr("each entry that could be for it has failurePolicy Fail"));
  for (Json& entry : view.configuration.object["webhooks"]) entry["failurePolicy"] = "Ignore";
  EXPECT_THAT(judged(view).what,
              HasSubstr("the namespace's labels, which say which, were not read"));
}

// Somebody else may say what we would, but not the nonce.
TEST(Probes, an_answer_with_another_nonce_is_none) {
  auto answer = unchanged();
  answer.warnings = {webhook::answer::probe_text("00112233445566778899aabbccddee00", "replica-a")};
  EXPECT_THAT(judged(probed(answer)).what, Not(HasSubstr("replica-a")));
}

TEST(Probes, nothing_is_said_where_nothing_was_tried) {
  Checks out;
  check_probes(installed(), out);
  EXPECT_THAT(out, IsEmpty());
}

TEST(Probes, are_the_last_lines_of_all_checks) {
  const Checks all = examine(probed(answered()));
  EXPECT_EQ(all.back().check, "probe");
  EXPECT_EQ(all.back().verdict, Verdict::ok);
}

}  // namespace
}  // namespace tpuwh::server::doctor
