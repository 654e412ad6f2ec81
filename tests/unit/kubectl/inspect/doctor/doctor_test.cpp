// What `doctor` says of an installation: sound, broken in one way (by check), and seen in part.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/cost.hpp"
#include "kubectl/inspect/doctor/layout.hpp"
#include "server/kube/cluster/ledger_object.hpp"
#include "tests/support/named_case.hpp"
#include "tests/unit/kubectl/inspect/doctor/installed.hpp"
#include "webhook/workloads/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace tpuwh::server::doctor {
namespace {

using test::case_name;
using test::PrintTo;
using testing::HasSubstr;
using testing::Not;

// Each test changes a sound installation and looks at the checks of doctor.
class DoctorTest : public testing::Test {
 protected:
  // Returns the first line of the check. Fails the test if the check has no line.
  Check line(std::string_view check) const {
    for (const Check& each : examine(view))
      if (each.check == check) return each;
    ADD_FAILURE() << "the check " << check << " has no line";
    return {};
  }

  // Adds the webhook configuration of another product, which is called for Pods.
  void add(const std::string& configuration) {
    view.mutating.items.push_back(configuration_of(configuration));
  }

  View view = installed();
};

TEST_F(DoctorTest, finds_nothing_wrong_where_everything_is_as_the_chart_makes_it) {
  for (const Check& each : examine(view))
    EXPECT_EQ(each.verdict, Verdict::ok) << each.check << ": " << each.what;
}

// A gang of eight, of which two Pods are there for a long time and not bound.
void add_gang(View& view, const Json& annotations, const std::string& created) {
  const Json metadata = {{"namespace", "ml"}, {"name", "train"}};
  view.gangs.items.push_back(
      {{"metadata", metadata}, {"spec", {{"schedulingPolicy", {{"gang", {{"minCount", 8U}}}}}}}});
  view.ganged = all({});
  for (const char* name : {"train-0", "train-1"})
    view.ganged.items.push_back({{"metadata",
                                  {{"namespace", "ml"},
                                   {"name", name},
                                   {"creationTimestamp", created},
                                   {"annotations", annotations}}},
                                 {"spec", {{"schedulingGroup", {{"podGroupName", "train"}}}}}});
}

constexpr auto long_ago = "2026-01-01T00:00:00Z";

TEST_F(DoctorTest, a_gang_that_is_bound_or_comes_or_is_over_waits_for_nobody) {
  add_gang(view, Json::object(), long_ago);
  const Json pods = view.ganged.items;
  const auto said = [&](const std::function<void(Json&)>& change) {
    view.ganged.items = pods;
    for (Json& pod : view.ganged.items) change(pod);
    Checks out;
    check_gangs(view, out);
    return out.size() == 1 ? out.front().verdict : Verdict::fail;
  };
  EXPECT_EQ(said([](Json&) {}), Verdict::warn);
  EXPECT_EQ(said([](Json& pod) { pod["spec"]["nodeName"] = "n"; }), Verdict::ok);
  EXPECT_EQ(said([](Json& pod) { pod["metadata"]["creationTimestamp"] = "2026-09-21T14:13:00Z"; }),
            Verdict::ok);
  EXPECT_EQ(said([](Json& pod) { pod["status"]["phase"] = "Succeeded"; }), Verdict::ok);
  EXPECT_EQ(said([](Json& pod) { pod["metadata"]["namespace"] = "other"; }), Verdict::ok);
  EXPECT_EQ(said([](Json& pod) { pod["spec"]["schedulingGroup"]["podGroupName"] = "other"; }),
            Verdict::ok);
  view.gangs.items.front()["spec"]["schedulingPolicy"]["gang"]["minCount"] = 2U;
  EXPECT_EQ(said([](Json&) {}), Verdict::ok);
  view.gangs.items.clear();
  Checks out;
  check_gangs(view, out);
  EXPECT_TRUE(out.empty());
}

TEST_F(DoctorTest, says_where_a_driver_of_claims_has_the_chips) {
  const auto said = [&] {
    Checks out;
    check_driver(view, out);
    return out;
  };
  EXPECT_TRUE(said().empty());
  view.device_classes = all({{{"metadata", {{"name", "tpu.google.com"}}},
                              {"spec", {{"extendedResourceName", "google.com/tpu"}}}}});
  const Checks checks = said();
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks.front().verdict, Verdict::ok);
  EXPECT_THAT(checks.front().what,
              HasSubstr("DeviceClass tpu.google.com gives google.com/tpu to a driver of claims"));
}

struct BrokenCase {
  const char* name;
  std::function<void(View&)> spoil;
  Verdict verdict;
  const char* check;
  const char* what;  // part of it
};

class BrokenTest : public testing::TestWithParam<BrokenCase> {};

TEST_P(BrokenTest, is_found_with_what_to_do) {
  View view = installed();
  GetParam().spoil(view);
  expect_said(examine(view), GetParam().verdict, GetParam().check, GetParam().what, true);
}

Json ledger_of(bool rebuilding) {
  const kube::store::GroupName group{"ml", "train", "u1", "workers"};
  const webhook::ledger::LedgerRecord record{
      .hosts_per_slice = 4, .rebuilding = rebuilding, .entries = {}};
  return Json::parse(kube::cluster::ledger_object_text(group, record, "7"));
}

const auto day = std::chrono::hours(24);

const BrokenCase broken[] = {
    {"a_gang_waits_for_followers",
     [](View& v) {
       add_gang(v, {{"alpha.jobset.sigs.k8s.io/exclusive-topology", "pool"}}, long_ago);
     },
     Verdict::warn, "gangs",
     "PodGroup ml/train is a gang of 8 Pods (minCount), and 2 are there: train-0 is not bound "
     "before the others are, and JobSet lets the other Pods"},
    {"a_gang_waits_for_pods", [](View& v) { add_gang(v, Json::object(), long_ago); }, Verdict::warn,
     "gangs", "train-0 is not bound before the others are"},
    {"pods_of_gangs_may_not_be_read",
     [](View& v) {
       add_gang(v, Json::object(), long_ago);
       v.ganged = {.found = Found::unknown, .items = {}, .why = "RBAC missing: list pods"};
     },
     Verdict::unknown, "gangs", "RBAC missing: list pods"},
    {"old_kubernetes", [](View& v) { v.version.object["minor"] = "29"; }, Verdict::fail,
     "api-server", "supports 1.30 and later"},
    {"may_not_watch", [](View& v) { v.watch_list = forbidden("watch namespaces"); },
     Verdict::unknown, "watch-list", "not known: RBAC missing: watch namespaces"},
    {"a_silent_watch",
     [](View& v) {
       v.replicas[1].metrics.object = "tpu_webhook_watch_age_seconds{resource=\"pods\"} 151.2\n";
     },
     Verdict::warn, "freshness", "b has received nothing about pods for 151 s"},
    {"a_starting_replica",
     [](View& v) {
       v.replicas[0].metrics.object = "tpu_webhook_watch_synced{resource=\"rayclusters\"} 0\n";
     },
     Verdict::warn, "freshness", "a has not listed all rayclusters yet"},
    {"a_group_that_gets_no_place",
     [](View& v) { v.replicas[1].metrics.object = "tpu_webhook_ledger_stalled_seconds 61.4\n"; },
     Verdict::fail, "places",
     "a worker group waits for a place that the ledger does not give (b: 61 s)"},
    {"pods_may_not_be_asked", [](View& v) { v.replicas[0].metrics = forbidden("get pods/proxy"); },
     Verdict::unknown, "freshness", "a: RBAC missing: get pods/proxy"},
    {"secret_is_secret", [](View& v) { v.secret = forbidden("get secrets"); }, Verdict::unknown,
     "certificate", "not known: RBAC missing: get secrets"},
    {"a_rival_by_the_name_of_its_webhook",
     [](View& v) {
       v.mutating.items.push_back(configuration_of("prod-webhook-cfg"));
       v.mutating.items.back()["webhooks"][0]["name"] = "gke-tpu-env-injector.aaronbatilo.dev";
     },
     Verdict::warn, "rival", "of statefulset Pods; it is called before"},
    {"an_entry_for_its_own_pods",
     [](View& v) {
       split(v, {"ray", "job"}, {});
       v.configuration.object["webhooks"][5].erase("namespaceSelector");
     },
     Verdict::fail, "namespaces", "sent to the webhook (pods.tpu-webhook.dev)"},
    {"an_entry_with_another_bundle",
     [](View& v) {
       split(v, {"ray", "job"}, {});
       const std::string names[] = {"else.where.svc"};
       v.configuration.object["webhooks"][5]["clientConfig"]["caBundle"] =
           text::encode_base64(test::issue(names, v.now).ca);
     },
     Verdict::fail, "trust", "called for pods.tpu-webhook.dev"},
    {"the_keeper_does_not_run", [](View& v) { v.keeper.object["status"]["availableReplicas"] = 0; },
     Verdict::fail, "keeper", "has no available Pod"},
    {"configurations_may_not_be_listed",
     [](View& v) { v.mutating = {.why = "RBAC missing: list"}; }, Verdict::unknown, "order",
     "not known: RBAC missing: list"},
    {"jobset_without_webhook",
     [](View& v) {
       for (Served& api : v.apis)
         if (api.kind == "JobSet") api.read = there(nullptr);
     },
     Verdict::warn, "jobset", "JobSet's webhook for Pods is not installed"},
    {"a_ledger_is_rebuilt", [](View& v) { v.ledger = all({ledger_of(true)}); }, Verdict::warn,
     "ledger", "ml/train/workers"},
    {"a_ledger_of_a_newer_release",
     [](View& v) {
       v.ledger = all({ledger_of(false)});
       v.ledger.items.back()["data"]["format"] = "2";
     },
     Verdict::fail, "ledger", "format is \"2\""},
};

INSTANTIATE_TEST_SUITE_P(table, BrokenTest, testing::ValuesIn(broken), case_name);

TEST_F(DoctorTest, nothing_is_installed) {
  view.configuration = absent();
  view.mutating = all({});
  for (Read* each : {&view.validating, &view.deployment, &view.service, &view.roles.cluster_role,
                     &view.roles.cluster_role_binding})
    each->object["metadata"] = Json::object();
  EXPECT_EQ(line("configuration").verdict, Verdict::fail);
  EXPECT_THAT(line("configuration").fix, HasSubstr("helm install"));
}

TEST_F(DoctorTest, a_certificate_is_warned_of_a_month_before_its_end) {
  view.now += test::issued_life - day * 20;
  EXPECT_EQ(line("certificate").verdict, Verdict::warn);
  EXPECT_EQ(line("trust").verdict, Verdict::ok);
  view.now += day * 21;
  EXPECT_EQ(line("certificate").verdict, Verdict::fail);
  EXPECT_THAT(line("certificate").what, HasSubstr("expired at"));
  EXPECT_EQ(line("trust").verdict, Verdict::fail);
}

TEST_F(DoctorTest, shadow_mode_may_ignore_failures) {
  give(view, {"--mode=shadow"});
  for (Json& entry : view.configuration.object["webhooks"]) {
    entry["failurePolicy"] = "Ignore";
    entry["timeoutSeconds"] = 2;
  }
  EXPECT_EQ(line("failure-policy").verdict, Verdict::ok);
}

// Everything that can fail because nobody answers.
View out_of_service() {
  View view = installed();
  view.service = absent();
  view.deployment.object["status"] = Json::object();
  view.secret = absent();
  view.roles.role = view.roles.cluster_role = absent();
  return view;
}

TEST_F(DoctorTest, nothing_fails_that_ignore_makes_harmless) {
  view = out_of_service();
  split(view, {}, {"ray", "job"});
  set(view, {{"mode", "shadow"}});
  for (const Check& each : examine(view))
    if (each.verdict != Verdict::ok) {
      EXPECT_EQ(name(each.verdict), "warn") << each.what;
      EXPECT_THAT(each.what, HasSubstr("failurePolicy is Ignore: Pods are created unchanged"));
    }
}

TEST_F(DoctorTest, one_workload_api_that_is_enforced_is_enough_to_fail) {
  view = out_of_service();
  split(view, {"jobset"}, {"ray", "job"});
  set(view, {{"mode", "shadow"}, {"perWorkload", {{"jobset", {{"mode", "enforce"}}}}}});
  for (const char* check : {"service", "deployment", "certificate", "rbac"})
    EXPECT_EQ(line(check).verdict, Verdict::fail) << check;
  EXPECT_EQ(line("failure-policy").verdict, Verdict::ok);
  EXPECT_THAT(
      line("failure-policy").what,
      HasSubstr("Fail: jobset.pods.tpu-webhook.dev (10 s); Ignore: ray.pods.tpu-webhook.dev (2 s), "
                "pods"));
  view.service = installed().service;
  view.endpoint_slices = all({});
  EXPECT_THAT(line("service").what,
              HasSubstr("no Pod can be created that is sent to jobset.pods.tpu-webhook.dev "
                        "(failurePolicy Fail)"));
}

TEST_F(DoctorTest, an_entry_that_ignores_failures_locks_nobody_out) {
  split(view, {"ray"}, {});
  view.configuration.object["webhooks"][6].erase("namespaceSelector");
  EXPECT_EQ(line("namespaces").verdict, Verdict::warn)
      << "the entry selects kube-system, but ignores failures";
}

TEST_F(DoctorTest, ignore_is_not_harmless_where_pods_are_changed) {
  view = out_of_service();
  split(view, {}, {"ray", "job"});
  set(view, {{"perWorkload", Json::object()}});
  EXPECT_EQ(line("service").verdict, Verdict::fail);
  view.config = not_known("RBAC missing: get secrets");
  EXPECT_EQ(line("service").verdict, Verdict::warn)
      << "the settings are unknown, so doctor uses the failurePolicy of the webhook entries";
}

TEST_F(DoctorTest, the_file_says_what_flags_do_not) {
  set(view, {{"workloads", {"job", "jobset"}}, {"placementHint", false}, {"followers", false}});
  view.is_kept = false;
  add("kuberay-tpu-mutating-webhook-cfg");
  view.roles.role = view.roles.cluster_role = absent();
  EXPECT_EQ(line("rival").verdict, Verdict::ok);
  EXPECT_EQ(line("rbac").verdict, Verdict::ok);
}

TEST_F(DoctorTest, the_entries_say_what_is_handled_where_the_file_may_not_be_read) {
  view.config = not_known("RBAC missing: get secrets");
  add("kuberay-tpu-mutating-webhook-cfg");
  split(view, {"jobset", "job"}, {});
  EXPECT_EQ(line("rival").verdict, Verdict::ok);
  split(view, {"jobset", "ray"}, {});
  EXPECT_EQ(line("rival").verdict, Verdict::warn);
  EXPECT_THAT(line("rival").fix, HasSubstr("--set 'config.workloads={jobset}'"));
}

TEST_F(DoctorTest, a_rival_of_what_is_only_watched_is_welcome) {
  set(view, {{"perWorkload", {{"ray", {{"mode", "shadow"}}}}}});
  add("kuberay-tpu-mutating-webhook-cfg");
  EXPECT_EQ(line("rival").verdict, Verdict::ok);
  EXPECT_THAT(line("rival").what, HasSubstr("only watches them"));
}

TEST_F(DoctorTest, a_rival_of_what_may_only_be_watched_is_not_judged) {
  view.config = not_known("no Secret in the snapshot");
  add("kuberay-tpu-mutating-webhook-cfg");
  EXPECT_EQ(line("rival").verdict, Verdict::warn);
  for (Json& entry : view.configuration.object["webhooks"]) entry["failurePolicy"] = "Ignore";
  EXPECT_EQ(line("rival").verdict, Verdict::unknown);
  EXPECT_THAT(line("rival").what, HasSubstr("as in shadow mode"));
}

TEST_F(DoctorTest, of_gke_it_says_that_its_injector_may_not_be_seen) {
  EXPECT_THAT(line("rival").what, HasSubstr("has no published name"));
  view.version.object["gitVersion"] = "v1.36.3";
  EXPECT_EQ(line("rival").what, "no other webhook is known to inject a TPU environment");
}

TEST_F(DoctorTest, without_a_feature_that_reads_the_cluster_no_rules_are_needed) {
  view.is_kept = false;
  give(view, {"--ledger=none", "--no-placement-hint", "--followers=false"});
  EXPECT_EQ(line("rbac").verdict, Verdict::warn) << "it has roles that it does not need";
  view.roles.role = view.roles.cluster_role = absent();
  EXPECT_EQ(line("rbac").verdict, Verdict::ok);
  give(view, {"--ledger=none", "--no-placement-hint", "--followers"});
  EXPECT_EQ(line("rbac").verdict, Verdict::fail)
      << "--followers needs a role that may read Pods and Nodes";
}

TEST_F(DoctorTest, the_hint_needs_no_rules_but_those_of_nodes) {
  view.is_kept = false;
  give(view, {"--ledger=none", "--no-followers"});
  view.roles.role = view.roles.role_binding = absent();
  EXPECT_EQ(line("rbac").verdict, Verdict::warn);
  EXPECT_THAT(line("rbac").what, HasSubstr("list of pods"));
  EXPECT_THAT(line("rbac").what, Not(HasSubstr("nodes")));
}

std::vector<Read*> marked_by_helm(View& view) {
  return {&view.configuration, &view.validating,         &view.deployment,
          &view.service,       &view.roles.cluster_role, &view.roles.cluster_role_binding};
}

// As Helm marks what it makes, of a release that is called otherwise than the chart.
void install_by_helm(View& view, const std::string& chart) {
  for (Read* each : marked_by_helm(view)) {
    each->object["metadata"]["annotations"] = {{"meta.helm.sh/release-name", "tpu-hooks"},
                                               {"meta.helm.sh/release-namespace", here}};
    each->object["metadata"]["labels"] = {{"helm.sh/chart", chart}};
  }
}

// As failurePolicy=Ignore renders it.
void ignore_failures(View& view) {
  for (Json& entry : view.configuration.object["webhooks"]) entry["failurePolicy"] = "Ignore";
}

TEST_F(DoctorTest, a_command_names_release_chart_and_namespace_and_keeps_every_other_value) {
  install_by_helm(view, "tpu-webhook-0.2.0");
  ignore_failures(view);
  EXPECT_EQ(line("failure-policy").fix,
            "helm upgrade tpu-hooks charts/tpu-webhook -n tpu-webhook-system "
            "--reset-then-reuse-values --set failurePolicy=Fail");
}

TEST_F(DoctorTest, a_command_says_the_values_whose_default_was_another_when_it_was_installed) {
  install_by_helm(view, "tpu-webhook-0.1.0");
  ignore_failures(view);
  Json& pod = view.deployment.object["spec"]["template"]["spec"];
  pod["containers"][0]["ports"][0]["containerPort"] = 8443;
  set(view, {{"listen", ":8443"}});
  pod.erase("priorityClassName");
  EXPECT_THAT(line("failure-policy").fix,
              HasSubstr("--reset-then-reuse-values --set config.mode=enforce --set "
                        "priorityClassName= --set port=8443 --set failurePolicy=Fail"));
  EXPECT_THAT(line("port").fix, Not(HasSubstr("--set port=8443")));
}

TEST_F(DoctorTest, a_name_that_is_none_makes_no_command) {
  install_by_helm(view, "tpu-webhook-0.2.0");
  for (Read* each : marked_by_helm(view))
    each->object["metadata"]["annotations"]["meta.helm.sh/release-name"] = "x; touch y #";
  webhook_of(view)["failurePolicy"] = "Ignore";
  view.ns = "it's";
  view.deployment.object["status"] = Json::object();
  EXPECT_THAT(line("failure-policy").fix, Not(HasSubstr("touch")));
  EXPECT_EQ(line("deployment").fix, "kubectl -n 'it'\\''s' describe deployment,pods");
}

TEST_F(DoctorTest, a_workload_that_there_is_not_makes_no_command) {
  const std::string evil = "lws}'; touch y; echo '";
  for (const bool by_flag : {true, false}) {
    view = installed();
    if (by_flag) give(view, {"--workloads=ray,job," + evil});
    if (!by_flag) set(view, {{"workloads", {"ray", evil, "job"}}});
    add("kuberay-tpu-mutating-webhook-cfg");
    EXPECT_THAT(line("rival").fix,
                HasSubstr("--reset-then-reuse-values --set 'config.workloads={job}' # or "));
  }
}

TEST_F(DoctorTest, a_priority_class_that_is_none_makes_no_value) {
  install_by_helm(view, "tpu-webhook-0.1.0");
  ignore_failures(view);
  Json& pod = view.deployment.object["spec"]["template"]["spec"];
  pod["priorityClassName"] = "a,image.repository=b";
  EXPECT_THAT(line("failure-policy").fix, Not(HasSubstr("repository")));
  pod["priorityClassName"] = "a";
  EXPECT_THAT(line("failure-policy").fix, HasSubstr("--set priorityClassName=a "));
}

TEST_F(DoctorTest, a_rival_is_uninstalled_from_where_its_release_is) {
  Json rival = configuration_of("kuberay-tpu-mutating-webhook-cfg");
  view.mutating.items.push_back(rival);
  EXPECT_THAT(line("rival").fix, Not(HasSubstr("uninstall")));
  rival["metadata"]["annotations"] = {{"meta.helm.sh/release-name", "rays"},
                                      {"meta.helm.sh/release-namespace", "ray-system"}};
  view.mutating.items.back() = rival;
  EXPECT_THAT(line("rival").fix, HasSubstr("helm uninstall rays -n ray-system"));
}

TEST_F(DoctorTest, a_port_that_a_private_cluster_blocks_is_found) {
  Json& pod = view.deployment.object["spec"]["template"]["spec"];
  Json& port = pod["containers"][0]["ports"];
  port[0]["containerPort"] = 9443;
  set(view, {{"listen", ":9443"}});
  EXPECT_EQ(line("port").verdict, Verdict::warn);
  EXPECT_THAT(line("port").what, HasSubstr("only at 443 and 10250"));
  EXPECT_THAT(line("port").fix, HasSubstr("--set port=10250"));
  view.version.object["gitVersion"] = "v1.36.3";
  EXPECT_EQ(line("port").verdict, Verdict::ok)
      << "only GKE limits the ports that the API server can reach";
  EXPECT_THAT(line("port").what, HasSubstr("9443"));
  port[0]["containerPort"] = 10250;
  set(view, {{"listen", ":10250"}});
  EXPECT_EQ(line("port").verdict, Verdict::ok);
  pod["hostNetwork"] = true;
  EXPECT_EQ(line("port").verdict, Verdict::warn);
  EXPECT_THAT(line("port").what, HasSubstr("the kubelet's"));
}

TEST_F(DoctorTest, a_namespace_that_is_gone_is_said_with_first_aid) {
  install_by_helm(view, "tpu-webhook-0.2.0");
  view.name_space = view.service = view.deployment = absent();
  EXPECT_EQ(line("release").verdict, Verdict::fail);
  EXPECT_THAT(line("release").fix, HasSubstr("kubectl delete mutatingwebhookconfigurations"));
  EXPECT_THAT(line("service").fix,
              HasSubstr("helm install tpu-hooks charts/tpu-webhook -n tpu-webhook-system "
                        "--create-namespace -f values.yaml"));
}

TEST_F(DoctorTest, namespaces_in_shadow_mode_are_named) {
  const auto said = [&] { return line("namespaces").what; };
  const std::string usual =
      "not sent to the webhook: kube-node-lease, kube-system, tpu-webhook-system";
  view.watched = {.found = Found::unknown, .items = {}, .why = "RBAC missing: list namespaces"};
  EXPECT_EQ(said(), usual +
                        "; which are in shadow mode (tpu-webhook.dev/mode=shadow) is not known: "
                        "RBAC missing: list namespaces");
  view.watched = all({});
  EXPECT_EQ(said(), usual);
  view.watched = all({{{"metadata", {{"name", "ml-b"}}}}, {{"metadata", {{"name", "ml-a"}}}}});
  EXPECT_EQ(said(), usual +
                        "; in shadow mode (tpu-webhook.dev/mode=shadow), so nothing is "
                        "changed there: ml-a, ml-b");
}

TEST_F(DoctorTest, what_helm_has_recorded_is_said) {
  install_by_helm(view, "tpu-webhook-0.2.0");
  view.releases_asked = true;
  view.releases = all({record_of(9, "superseded"), record_of(10, "deployed")});
  EXPECT_EQ(line("release").verdict, Verdict::ok);
  view.releases.items.push_back(record_of(11, "pending-upgrade"));
  EXPECT_EQ(line("release").verdict, Verdict::warn);
  EXPECT_THAT(line("release").fix, HasSubstr("helm rollback tpu-hooks 10 -n tpu-webhook-system"));
  view.releases = all({record_of(1, "pending-install")});
  EXPECT_THAT(line("release").fix, HasSubstr("helm uninstall tpu-hooks -n"));
  view.releases = all({});
  EXPECT_THAT(line("release").fix, HasSubstr("helm install tpu-hooks"));
  view.releases = {.found = Found::unknown, .items = {}, .why = "RBAC missing: list secrets"};
  EXPECT_EQ(line("release").verdict, Verdict::unknown);
}

TEST_F(DoctorTest, an_entry_of_no_pod_is_none) {
  split(view, {"jobset"}, {"ray"});
  const Json key = {{"key", "k"}, {"operator", "Exists"}};
  Json other = key;
  other["operator"] = "DoesNotExist";
  webhook_of(view)["objectSelector"]["matchExpressions"] = {key, other};
  set(view, {{"workloads", {"jobset"}}});
  for (const Check& each : examine(view))
    EXPECT_THAT(each.what, Not(HasSubstr("ray.pods.tpu-webhook.dev"))) << each.check;
}

TEST_F(DoctorTest, as_helm_renders_the_default_values) {
  view = live_view(sound_objects(false));
  EXPECT_EQ(line("configuration").verdict, Verdict::ok) << line("configuration").what;
}

TEST_F(DoctorTest, modes_are_read_off_the_entries_where_settings_may_not_be_read) {
  using webhook::config::Config;
  using webhook::config::Mode;
  using webhook::config::WorkloadKind;
  Config few;
  few.workloads = {WorkloadKind::ray, WorkloadKind::job};
  Config mixed;
  mixed.of(WorkloadKind::job).mode = Mode::shadow;
  mixed.of(WorkloadKind::ray).mode = Mode::shadow;
  Config watched;
  watched.mode = Mode::shadow;
  watched.of(WorkloadKind::statefulset).mode = Mode::enforce;
  for (const Config& config : {Config(), few, mixed, watched}) {
    view = installed();
    view.config = not_known("RBAC missing: get secrets");
    render_entries(view.configuration.object, config);
    const Config found = layout_of(view);
    for (const auto& each : webhook::workloads::workloads()) {
      const bool handled = config.workloads.has(each.kind);
      EXPECT_EQ(found.workloads.has(each.kind), handled) << each.name;
      if (handled) {
        EXPECT_EQ(found.mode_for(each.kind), config.mode_for(each.kind)) << each.name;
      }
    }
    EXPECT_EQ(line("configuration").verdict, Verdict::ok) << line("configuration").what;
  }
}

TEST_F(DoctorTest, nobody_may_read_anything) {
  view = {};
  view.ns = here;
  for (const Check& each : examine(view))
    EXPECT_EQ(each.verdict, Verdict::unknown) << each.check << ": " << each.what;
}

TEST(CostTest, grows_with_the_cluster) {
  const std::pair<ClusterSize, const char*> cases[] = {
      {{3000, 1}, "3000 TPU nodes, 1 TPU Pod: "},
      {{0, 0}, "about 2 ms of CPU"},
      {{10, 4}, "about 2 ms of CPU"},  // smaller than any that was measured
      {{3000, 4}, "about 24 ms of CPU"},
      {{3000, 4}, "(12 with a node selector"},
      {{2000, 4}, "about 17 ms of CPU"},    // between two
      {{27000, 4}, "about 181 ms of CPU"},  // beyond the largest
      {{0, 0}, "; 14 MB of memory"},
      {{15000, 100000}, "; 81 MB of memory"},
  };
  for (const auto& [size, said] : cases) EXPECT_THAT(cost_of(size), HasSubstr(said));
}

std::vector<std::string> told_of_cost(const View& view) {
  Checks out;
  check_cost(view, out);
  std::vector<std::string> said;
  for (const Check& each : out) said.push_back(each.what);
  return said;
}

TEST_F(DoctorTest, cost_is_said_of_what_the_first_replica_that_answers_has_seen) {
  EXPECT_THAT(told_of_cost(view),
              testing::ElementsAre(HasSubstr("3000 TPU nodes, 500 TPU Pods: ")));
  view.replicas[0].metrics = forbidden("get pods/proxy");
  EXPECT_EQ(told_of_cost(view).size(), 1U);
  for (Replica& each : view.replicas) each.metrics = forbidden("get pods/proxy");
  EXPECT_TRUE(told_of_cost(view).empty());
}

TEST_F(DoctorTest, cost_is_not_said_where_replicas_watch_no_cluster) {
  for (Replica& each : view.replicas) each.metrics = there("tpu_webhook_ready 1\n");
  EXPECT_TRUE(told_of_cost(view).empty());
}

TEST_F(DoctorTest, prints_a_line_for_each_check) {
  const Checks checks = {{Verdict::ok, "port", "good"}, {Verdict::fail, "trust", "bad", "mend it"}};
  EXPECT_EQ(checks_text(checks, false).text(),
            "OK    port              good\n"
            "FAIL  trust             bad\n"
            "      TPU-914           fix: mend it\n");
  const Json json = checks_json(checks);
  EXPECT_EQ(json["fail"], 1);
  EXPECT_TRUE(json["checks"][0]["fix"].is_null());
  EXPECT_EQ(json["checks"][1]["fix"], "mend it");
  EXPECT_EQ(json["checks"][1]["id"], "TPU-914");
}

}  // namespace
}  // namespace tpuwh::server::doctor
