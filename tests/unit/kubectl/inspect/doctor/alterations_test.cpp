// A sound installation that somebody has altered: what `doctor` says of each, that none of them
// gives the sound one's answer, and that what it prints to run mends it and changes nothing else.
#include "kubectl/inspect/doctor/check.hpp"
#include "server/kube/cluster/rbac.hpp"
#include "tests/support/named_case.hpp"
#include "tests/unit/kubectl/inspect/doctor/installed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tpuwh::server::doctor {
namespace {

using test::case_name;
using test::PrintTo;

constexpr auto mutating = "MutatingWebhookConfiguration";
constexpr auto validating = "ValidatingWebhookConfiguration";

struct Alteration {
  const char* name;
  std::function<void(Objects&)> alter;
  Verdict verdict;
  const char* check;
  const char* what;                           // part of it
  std::function<void(Objects&)> chosen = {};  // what values chose before
};

using All = std::vector<Alteration>;

// ---- words of the table

Json& entries_in(Objects& objects, const char* kind = mutating) {
  return object_of(objects, kind)["webhooks"];
}

std::function<void(Objects&)> every(std::function<void(Json&)> change,
                                    const char* kind = mutating) {
  return [=](Objects& objects) {
    for (Json& each : entries_in(objects, kind)) change(each);
  };
}

// Those of workload APIs, which are enforced.
std::function<void(Objects&)> every_enforced(std::function<void(Json&)> change) {
  return [=](Objects& objects) {
    for (Json& each : entries_in(objects))
      if (each["failurePolicy"] == "Fail") change(each);
  };
}

std::function<void(Objects&)> one(const char* name, std::function<void(Json&)> change,
                                  const char* kind = mutating) {
  return [=](Objects& objects) { change(entry_of(object_of(objects, kind), name)); };
}

std::function<void(Json&)> at(const char* path, Json value) {
  return [=](Json& entry) { entry[Json::json_pointer(path)] = value; };
}

std::function<void(Json&)> without(const char* key) {
  return [=](Json& entry) { entry.erase(key); };
}

std::function<void(Objects&)> in(const char* kind, std::function<void(Json&)> change) {
  return [=](Objects& objects) { change(object_of(objects, kind)); };
}

std::function<void(Objects&)> gone(const char* kind, const char* name = "tpu-webhook") {
  return [=](Objects& objects) {
    std::erase_if(objects, [&](const Json& each) {
      return each["kind"] == kind && each["metadata"]["name"] == name;
    });
    // The kind was printed, with another's object.
    objects.push_back({{"kind", kind},
                       {"metadata", {{"name", "another"}, {"namespace", "ml"}}},
                       {"spec",
                        {{"selector", {{"matchLabels", {{"a", "b"}}}}},
                         {"podSelector", {{"matchLabels", {{"a", "b"}}}}}}}});
  };
}

std::function<void(Objects&)> in_pods(std::function<void(Json&)> change) {
  return [=](Objects& objects) {
    for (Json& each : objects)
      if (each["kind"] == "Pod") change(each);
  };
}

// In the Deployment and in its Pods.
std::function<void(Objects&)> in_program(std::function<void(Json&)> change) {
  return [=](Objects& objects) {
    change(template_of(objects)["spec"]["containers"][0]);
    in_pods([&](Json& pod) { change(pod["spec"]["containers"][0]); })(objects);
  };
}

std::function<void(Objects&)> in_spec(const char* path, Json value) {
  return [=](Objects& objects) { template_of(objects)["spec"][Json::json_pointer(path)] = value; };
}

Json another_configuration(const std::string& name) {
  Json out = configuration_of(name, "");
  out["kind"] = mutating;
  return out;
}

Json requires_label(const char* key, const char* value) {
  return {{"key", key}, {"operator", "In"}, {"values", Json::array({value})}};
}

Json policy_of(const Json& spec) {
  return {{"kind", "NetworkPolicy"},
          {"metadata", {{"name", "deny"}, {"namespace", here}}},
          {"spec", spec}};
}

constexpr auto lws = "lws.pods.tpu-webhook.dev";
constexpr auto ray = "ray.pods.tpu-webhook.dev";
constexpr auto claims = "claims.pods.tpu-webhook.dev";
constexpr auto shadow = "shadow.pods.tpu-webhook.dev";
constexpr auto workloads = "workloads.tpu-webhook.dev";

// ---- whom the API server asks, and about what

const All& of_calls() {
  static const All all = {
      {"another_service", every(at("/clientConfig/service/name", "other")), Verdict::fail,
       "configuration", "clientConfig.service.name is \"other\", expected \"tpu-webhook\""},
      {"another_namespace", every(at("/clientConfig/service/namespace", "other")), Verdict::fail,
       "configuration", "clientConfig.service.namespace is \"other\""},
      {"one_of_another_namespace", one(lws, at("/clientConfig/service/namespace", "other")),
       Verdict::fail, "configuration", "no replica is asked to change its Pods"},
      {"another_path", every(at("/clientConfig/service/path", "/healthz")), Verdict::fail,
       "configuration", "clientConfig.service.path is \"/healthz\", expected \"/mutate\""},
      {"the_path_of_shadow", every(at("/clientConfig/service/path", "/shadow")), Verdict::fail,
       "configuration", "shadow"},
      {"shadow_that_changes", one(shadow, at("/clientConfig/service/path", "/mutate")),
       Verdict::warn, "configuration",
       "clientConfig.service.path is \"/mutate\", expected \"/shadow\""},
      {"no_path", every([](Json& each) { each["clientConfig"]["service"].erase("path"); }),
       Verdict::fail, "configuration", "clientConfig.service.path is missing"},
      {"another_port", every(at("/clientConfig/service/port", 8443)), Verdict::fail,
       "configuration", "clientConfig.service.port is 8443, expected 443"},
      {"a_url",
       one(lws,
           [](Json& each) {
             each["clientConfig"].erase("service");
             each["clientConfig"]["url"] = "https://10.0.0.1/mutate";
           }),
       Verdict::fail, "configuration", "clientConfig.url is \"https://10.0.0.1/mutate\""},
      {"no_client", one(lws, without("clientConfig")), Verdict::fail, "configuration",
       "no replica is asked"},
  };
  return all;
}

const All& of_conditions() {
  static const All all = {
      {"every_condition_false",
       every([](Json& each) { each["matchConditions"][0]["expression"] = "false"; }), Verdict::fail,
       "configuration", "no Pod meets its matchConditions"},
      {"a_condition_false_in_parentheses", one(ray, at("/matchConditions/0/expression", "(false)")),
       Verdict::fail, "configuration", "no Pod meets its matchConditions"},
      {"a_condition_more_that_is_false",
       one(ray,
           [](Json& each) {
             each["matchConditions"].push_back({{"name", "off"}, {"expression", "!true"}});
           }),
       Verdict::fail, "configuration", "no Pod meets its matchConditions"},
      {"a_condition_more",
       one(ray,
           [](Json& each) {
             each["matchConditions"].push_back(
                 {{"name", "mine"}, {"expression", "object.metadata.namespace == 'ml'"}});
           }),
       Verdict::warn, "configuration", "which Pods it is sent is not known"},
      {"a_condition_less", one(lws, at("/matchConditions", Json::array())), Verdict::warn,
       "configuration", "every Pod of the cluster is sent"},
      {"no_conditions", one(lws, without("matchConditions")), Verdict::warn, "configuration",
       "every Pod of the cluster is sent"},
      {"a_condition_of_another_release",
       every([](Json& each) { each["matchConditions"][0]["expression"] = "has(object.spec.tpu)"; }),
       Verdict::warn, "configuration", "which Pods it is sent is not known"},
      {"a_condition_by_another_name", one(lws, at("/matchConditions/0/name", "mine")),
       Verdict::warn, "configuration", "matchConditions[mine]"},
      {"another_prefix_of_annotations",
       one("pods.tpu-webhook.dev",
           [](Json& each) {
             auto text = each["matchConditions"][0]["expression"].get<std::string>();
             replace_text(text, "'tpu-webhook.dev/'", "'example.dev/'");
             each["matchConditions"][0]["expression"] = text;
           }),
       Verdict::warn, "configuration", "matchConditions.expression"},
  };
  return all;
}

const All& of_selectors() {
  static const All all = {
      {"objects_of_nobody", every_enforced([](Json& each) {
         each["objectSelector"] = {
             {"matchExpressions", Json::array({{{"key", "a"}, {"operator", "Exists"}},
                                               {{"key", "a"}, {"operator", "DoesNotExist"}}})}};
       }),
       Verdict::fail, "configuration", "no Pod meets its objectSelector"},
      {"objects_with_a_label", one(lws, at("/objectSelector", {{"matchLabels", {{"team", "a"}}}})),
       Verdict::fail, "configuration", "Pods that its objectSelector leaves out are not sent"},
      {"objects_with_another_value",
       one(ray,
           [](Json& each) {
             each["objectSelector"]["matchExpressions"][0] =
                 requires_label("ray.io/node-type", "head");
           }),
       Verdict::fail, "configuration", "Pods that its objectSelector leaves out are not sent"},
      {"objects_emptied", one(ray, at("/objectSelector", Json::object())), Verdict::warn,
       "configuration", "objectSelector.matchExpressions is missing"},
      {"a_key_less",
       one(lws, [](Json& each) { each["objectSelector"]["matchExpressions"].erase(1); }),
       Verdict::warn, "configuration", "has to leave out are sent by another entry, too"},
      {"an_entry_of_nobody_opened",
       one("job.pods.tpu-webhook.dev", at("/objectSelector", Json::object())), Verdict::warn,
       "configuration", "it is for no Pod with these settings"},
      {"one_left_out",
       one(ray,
           at("/objectSelector/matchExpressions",
              Json::array({{{"key", "tpu-webhook.dev/left-out"}, {"operator", "Exists"}},
                           {{"key", "tpu-webhook.dev/left-out"}, {"operator", "DoesNotExist"}}}))),
       Verdict::fail, "configuration", "no Pod meets its objectSelector"},
      {"namespaces_of_nobody", every([](Json& each) {
         each["namespaceSelector"]["matchExpressions"].push_back(
             {{"key", "tpu-webhook.dev/mode"}, {"operator", "In"}, {"values", {"shadow"}}});
       }),
       Verdict::fail, "configuration", "no namespace meets its namespaceSelector"},
      {"namespaces_with_a_label", every([](Json& each) {
         each["namespaceSelector"]["matchExpressions"].push_back(
             {{"key", "team"}, {"operator", "Exists"}});
       }),
       Verdict::fail, "namespaces", "no namespace of 4 is one whose Pods are sent to"},
      {"namespaces_of_one_more_label",
       one(lws,
           [](Json& each) {
             each["namespaceSelector"]["matchExpressions"].push_back(requires_label("team", "a"));
           }),
       Verdict::fail, "namespaces", "it also requires: team in (a)"},
      {"namespaces_of_one_by_matchLabels",
       one(lws, at("/namespaceSelector/matchLabels", {{"team", "a"}})), Verdict::fail, "namespaces",
       "it also requires: team in (a)"},
      {"namespaces_emptied", every(at("/namespaceSelector", Json::object())), Verdict::fail,
       "namespaces", "Pods of tpu-webhook-system itself are sent"},
      {"one_of_all_namespaces", one(lws, without("namespaceSelector")), Verdict::warn, "namespaces",
       "it does not require: kubernetes.io/metadata.name not in"},
      {"node_leases_sent",
       [](Objects& objects) {
         for (const char* kind : {mutating, validating})
           for (Json& each : entries_in(objects, kind))
             each["namespaceSelector"]["matchExpressions"][0]["values"] = {"kube-system", here};
       },
       Verdict::ok, "namespaces", "kube-node-lease, which has no Pods, and which the chart leaves"},
      {"own_namespace_sent", every([](Json& each) {
         each["namespaceSelector"]["matchExpressions"][0]["values"] = {"kube-system"};
       }),
       Verdict::fail, "namespaces", "Pods of tpu-webhook-system itself are sent"},
      {"kube_system_sent", every([](Json& each) {
         each["namespaceSelector"]["matchExpressions"][0]["values"] = {here};
       }),
       Verdict::warn, "namespaces", "Pods of kube-system are sent"},
      {"another_namespace_excluded",
       [](Objects& objects) {
         for (const char* kind : {mutating, validating})
           for (Json& each : entries_in(objects, kind))
             each["namespaceSelector"]["matchExpressions"][0]["values"].push_back("ml");
       },
       Verdict::ok, "namespaces", "not sent to the webhook: kube-node-lease, kube-system, ml"},
      {"in_shadow_mode_and_changed",
       every_enforced([](Json& each) { each["namespaceSelector"]["matchExpressions"].erase(1); }),
       Verdict::warn, "namespaces", "does not require: tpu-webhook.dev/mode not in (shadow)"},
      {"a_namespace_in_shadow_mode",
       [](Objects& objects) {
         objects.push_back(namespace_of("lab", {{"tpu-webhook.dev/mode", "shadow"}}));
       },
       Verdict::ok, "namespaces", "nothing is changed there: lab"},
  };
  return all;
}

const All& of_rules() {
  static const All all = {
      {"updates_alone", every(at("/rules/0/operations", {"UPDATE"})), Verdict::fail,
       "configuration", "no new Pod matches its rules"},
      {"updates_too", one(lws, at("/rules/0/operations", {"CREATE", "UPDATE"})), Verdict::warn,
       "configuration", "rules differs"},
      {"another_group", one(lws, at("/rules/0/apiGroups", {"apps"})), Verdict::fail,
       "configuration", "no new Pod matches its rules"},
      {"another_version", one(lws, at("/rules/0/apiVersions", {"v2"})), Verdict::fail,
       "configuration", "no new Pod matches its rules"},
      {"another_resource", one(lws, at("/rules/0/resources", {"pods/ephemeralcontainers"})),
       Verdict::fail, "configuration", "no new Pod matches its rules"},
      {"more_resources", one(lws, at("/rules/0/resources", {"*"})), Verdict::warn, "configuration",
       "rules differs"},
      {"of_the_cluster", one(lws, at("/rules/0/scope", "Cluster")), Verdict::fail, "configuration",
       "no new Pod matches its rules"},
      {"of_any_scope", one(lws, at("/rules/0/scope", "*")), Verdict::warn, "configuration",
       "rules differs"},
      {"no_rules", one(lws, at("/rules", Json::array())), Verdict::fail, "configuration",
       "no new Pod matches its rules"},
      {"a_rule_twice", one(lws, [](Json& each) { each["rules"].push_back(each["rules"][0]); }),
       Verdict::warn, "configuration", "rules differs"},
  };
  return all;
}

const All& of_policies() {
  static const All all = {
      {"every_failure_ignored", every(at("/failurePolicy", "Ignore")), Verdict::warn,
       "failure-policy", "hold their chips without"},
      {"one_failure_ignored", one(lws, at("/failurePolicy", "Ignore")), Verdict::warn,
       "failure-policy", "lws.pods.tpu-webhook.dev: failurePolicy is Ignore"},
      {"claims_refused", one(claims, at("/failurePolicy", "Fail")), Verdict::warn, "failure-policy",
       "refused without need"},
      {"no_policy", one(shadow, without("failurePolicy")), Verdict::warn, "failure-policy",
       "shadow.pods.tpu-webhook.dev: failurePolicy is Fail, but its Pods are not"},
      {"no_side_effects", one(lws, at("/sideEffects", "None")), Verdict::warn, "configuration",
       "sideEffects is \"None\", expected \"NoneOnDryRun\""},
      {"never_asked_again", every(at("/reinvocationPolicy", "Never")), Verdict::warn,
       "configuration", "reinvocationPolicy is \"Never\", expected \"IfNeeded\""},
      {"no_reinvocation", one(lws, without("reinvocationPolicy")), Verdict::warn, "configuration",
       "reinvocationPolicy is missing"},
      {"exact_matches", one(lws, at("/matchPolicy", "Exact")), Verdict::warn, "configuration",
       "matchPolicy is \"Exact\""},
      {"a_long_wait", one(claims, at("/timeoutSeconds", 30)), Verdict::warn, "failure-policy",
       "timeoutSeconds is 30, expected 2"},
      {"a_short_wait", one(ray, at("/timeoutSeconds", 1)), Verdict::warn, "failure-policy",
       "the ledger may need 6 s"},
      {"another_wait", one(lws, at("/timeoutSeconds", 30)), Verdict::warn, "failure-policy",
       "differ (10, 30)"},
      {"every_wait_is_another", every_enforced(at("/timeoutSeconds", 25)), Verdict::ok,
       "failure-policy", "ray.pods.tpu-webhook.dev (25 s)"},
      {"reviews_of_old", one(lws, at("/admissionReviewVersions", {"v1beta1"})), Verdict::warn,
       "configuration", "admissionReviewVersions is [\"v1beta1\"]"},
  };
  return all;
}

const All& of_entries() {
  static const All all = {
      {"an_entry_missing", [](Objects& objects) { entries_in(objects).erase(1); }, Verdict::fail,
       "configuration", "lws.pods.tpu-webhook.dev: there is no such entry"},
      {"claims_missing", [](Objects& objects) { entries_in(objects).erase(6); }, Verdict::fail,
       "configuration", "claims.pods.tpu-webhook.dev: there is no such entry"},
      {"shadow_missing", [](Objects& objects) { entries_in(objects).erase(7); }, Verdict::warn,
       "configuration", "shadow.pods.tpu-webhook.dev: there is no such entry"},
      {"shadow_alone",
       [](Objects& objects) {
         Json& entries = entries_in(objects);
         entries = Json::array({entries[7]});
       },
       Verdict::fail, "configuration", "has only entries of shadow namespaces"},
      {"no_entries", [](Objects& objects) { entries_in(objects) = Json::array(); }, Verdict::fail,
       "configuration", "has no entry that a Pod reaches"},
      {"an_entry_twice",
       [](Objects& objects) { entries_in(objects).push_back(entries_in(objects)[1]); },
       Verdict::warn, "configuration", "duplicate: Pods are sent twice"},
      {"an_entry_renamed", one(lws, at("/name", "mine.example.dev")), Verdict::warn,
       "configuration", "name is \"mine.example.dev\", expected \"lws.pods.tpu-webhook.dev\""},
      {"a_stranger",
       [](Objects& objects) {
         Json entry = configuration_of("x", "")["webhooks"][0];
         entry["clientConfig"]["caBundle"] = entries_in(objects)[0]["clientConfig"]["caBundle"];
         entry["namespaceSelector"] = entries_in(objects)[0]["namespaceSelector"];
         entries_in(objects).push_back(entry);
       },
       Verdict::warn, "configuration", "this program renders no such entry"},
      {"another_order",
       [](Objects& objects) { std::swap(entries_in(objects)[0], entries_in(objects)[3]); },
       Verdict::ok, "configuration", "in another order, which changes nothing"},
      {"no_configuration", gone(mutating), Verdict::fail, "configuration",
       "there is no MutatingWebhookConfiguration tpu-webhook"},
      {"a_configuration_of_another_name",
       [](Objects& objects) {
         object_of(objects, mutating)["metadata"]["name"] = "my-tpu-webhook";
       },
       Verdict::warn, "installations", "my-tpu-webhook belongs to another installation"},
      {"a_second_installation",
       [](Objects& objects) {
         Json other = object_of(objects, mutating);
         other["metadata"]["name"] = "tpu-webhook-canary";
         for (Json& each : other["webhooks"])
           each["clientConfig"]["service"]["namespace"] = "canary";
         objects.push_back(other);
       },
       Verdict::warn, "installations", "it calls Service canary/tpu-webhook"},
      {"a_second_validation",
       [](Objects& objects) {
         Json other = object_of(objects, validating);
         other["metadata"]["name"] = "another";
         objects.push_back(other);
       },
       Verdict::warn, "installations", "ValidatingWebhookConfiguration another"},
      {"a_bundle_missing", one(lws, [](Json& each) { each["clientConfig"].erase("caBundle"); }),
       Verdict::fail, "ca-bundle", "the caBundle of lws.pods.tpu-webhook.dev"},
      {"no_bundles", every([](Json& each) { each["clientConfig"].erase("caBundle"); }),
       Verdict::fail, "ca-bundle", "cannot be used"},
      {"a_bundle_that_is_none", every(at("/clientConfig/caBundle", "bm9uZQ==")), Verdict::fail,
       "ca-bundle", "cannot be used"},
      {"bundles_of_another",
       [](Objects& objects) {
         const std::string names[] = {"else.where.svc"};
         const auto ca = text::encode_base64(test::issue(names, test_time).ca);
         every(at("/clientConfig/caBundle", ca))(objects);
       },
       Verdict::fail, "trust", "does not trust"},
      {"bundles_with_a_second",
       [](Objects& objects) {
         const std::string names[] = {"else.where.svc"};
         const auto more = test::issue(names, test_time).ca;
         for (const char* kind : {mutating, validating})
           every(
               [&](Json& each) {
                 const auto now =
                     text::decode_base64(each["clientConfig"]["caBundle"].get<std::string>());
                 each["clientConfig"]["caBundle"] = text::encode_base64(*now + more);
               },
               kind)(objects);
       },
       Verdict::ok, "ca-bundle", "the last of 2"},
  };
  return all;
}

const All& of_validation() {
  static const All all = {
      {"validation_of_nobody", every(at("/clientConfig/service/name", "other"), validating),
       Verdict::warn, "validation", "no object is checked by it"},
      {"validation_at_another_path",
       one(workloads, at("/clientConfig/service/path", "/mutate"), validating), Verdict::warn,
       "validation", "clientConfig.service.path is \"/mutate\""},
      {"validation_never", every(at("/matchConditions/1/expression", "false"), validating),
       Verdict::warn, "validation", "no object is checked by it"},
      {"validation_of_less",
       one(
           workloads, [](Json& each) { each["rules"].erase(0); }, validating),
       Verdict::warn, "validation", "rules differs"},
      {"validation_that_refuses", every(at("/failurePolicy", "Fail"), validating), Verdict::warn,
       "validation", "failurePolicy is \"Fail\", expected \"Ignore\""},
      {"validation_that_waits", every(at("/timeoutSeconds", 30), validating), Verdict::warn,
       "validation", "timeoutSeconds is 30, expected 2"},
      {"validation_without_an_entry",
       [](Objects& objects) { entries_in(objects, validating).erase(0); }, Verdict::warn,
       "validation", "workloads.tpu-webhook.dev: there is no such entry"},
      {"validation_elsewhere",
       every(at("/namespaceSelector/matchLabels", {{"team", "a"}}), validating), Verdict::warn,
       "validation", "namespaceSelector differs"},
      {"validation_by_another_ca", every(at("/clientConfig/caBundle", "bm9uZQ=="), validating),
       Verdict::warn, "validation", "another caBundle"},
      {"no_validation", gone(validating), Verdict::ok, "validation", "not checked"},
  };
  return all;
}

// ---- what answers

const All& of_service() {
  static const All all = {
      {"no_service", gone("Service"), Verdict::fail, "service", "does not exist"},
      {"a_port_of_the_service", in("Service", at("/spec/ports/0/port", 8443)), Verdict::fail,
       "service", "it has no port 443"},
      {"another_target", in("Service", at("/spec/ports/0/targetPort", 8443)), Verdict::fail,
       "service", "it sends to port 8443 of the Pods, but the program listens at 10250"},
      {"the_target_of_health", in("Service", at("/spec/ports/0/targetPort", "health")),
       Verdict::fail, "service", "it sends to port 8081"},
      {"no_such_target", in("Service", at("/spec/ports/0/targetPort", "web")), Verdict::fail,
       "service", "no container has a port of that name"},
      {"another_selector", in("Service", at("/spec/selector", {{"app", "other"}})), Verdict::fail,
       "service", "does not match the Pods"},
      {"no_selector", in("Service", [](Json& each) { each["spec"].erase("selector"); }),
       Verdict::fail, "service", "does not match the Pods"},
      {"a_wider_selector",
       in("Service",
          [](Json& each) { each["spec"]["selector"].erase("app.kubernetes.io/instance"); }),
       Verdict::warn, "service", "selector.app.kubernetes.io/instance is missing"},
      {"an_external_name",
       in("Service",
          [](Json& each) {
            each["spec"] = {{"type", "ExternalName"}, {"externalName", "example.com"}};
          }),
       Verdict::fail, "service", "points to example.com, outside the cluster"},
      {"a_load_balancer", in("Service", at("/spec/type", "LoadBalancer")), Verdict::warn, "service",
       "type is \"LoadBalancer\", expected \"ClusterIP\""},
      {"not_ready_addresses", in("Service", at("/spec/publishNotReadyAddresses", true)),
       Verdict::warn, "service", "publishNotReadyAddresses is true"},
      {"callers_stick", in("Service", at("/spec/sessionAffinity", "ClientIP")), Verdict::warn,
       "service", "sessionAffinity is \"ClientIP\""},
      {"calls_stay_on_the_node", in("Service", at("/spec/internalTrafficPolicy", "Local")),
       Verdict::warn, "service", "internalTrafficPolicy is \"Local\""},
      {"no_endpoints", in("EndpointSlice", at("/endpoints", Json::array())), Verdict::fail,
       "service", "has no ready endpoint"},
      {"none_ready",
       in("EndpointSlice",
          [](Json& each) {
            for (Json& endpoint : each["endpoints"]) endpoint["conditions"]["ready"] = false;
          }),
       Verdict::fail, "service", "has no ready endpoint"},
      {"one_ready",
       in("EndpointSlice", [](Json& each) { each["endpoints"][0]["conditions"]["ready"] = false; }),
       Verdict::ok, "service", "has 2 ready endpoints"},
      {"an_endpoint_of_others",
       in("EndpointSlice", [](Json& each) { each["endpoints"][0]["targetRef"]["name"] = "nginx"; }),
       Verdict::fail, "service", "do not belong to the Deployment: nginx"},
  };
  return all;
}

const All& of_program() {
  static const All all = {
      {"another_port_by_a_flag",
       in_program([](Json& each) { each["args"].push_back("--listen=:9999"); }), Verdict::fail,
       "service", "the program listens at 9999 (--listen)"},
      {"another_port_by_two_words", in_program([](Json& each) {
         each["args"].push_back("--listen");
         each["args"].push_back("0.0.0.0:9999");
       }),
       Verdict::fail, "service", "the program listens at 9999 (--listen)"},
      {"another_health_port",
       in_program([](Json& each) { each["args"].push_back("--health-listen=:9000"); }),
       Verdict::fail, "pods", "the program answers at 9000 (--health-listen)"},
      {"another_mode", in_program([](Json& each) { each["args"].push_back("--mode=shadow"); }),
       Verdict::warn, "failure-policy", "refused without need"},
      {"fewer_workloads", in_program([](Json& each) { each["args"].push_back("--workloads=job"); }),
       Verdict::warn, "configuration", "objectSelector"},
      {"another_flag", in_program([](Json& each) { each["args"].push_back("--threads=4"); }),
       Verdict::ok, "settings", "by flags, which override its file: --threads"},
      {"another_command", in_program(at("/command", {"/bin/sh"})), Verdict::warn, "pods",
       "command is"},
      {"another_task", in_program(at("/args", {"version"})), Verdict::fail, "pods",
       "args do not begin with"},
      {"another_container", in_program(at("/name", "server")), Verdict::fail, "pods",
       "has no container tpu-webhook"},
      {"another_port_of_the_container", in_program(at("/ports/0/containerPort", 9443)),
       Verdict::fail, "service",
       "it sends to port 9443 of the Pods, but the program listens at 10250"},
      {"no_readiness", in_program(without("readinessProbe")), Verdict::warn, "pods",
       "readinessProbe is missing"},
      {"always_ready", in_program(at("/readinessProbe/httpGet/path", "/livez")), Verdict::warn,
       "pods", "readinessProbe.httpGet.path is \"/livez\""},
      {"no_liveness", in_program(without("livenessProbe")), Verdict::warn, "pods",
       "livenessProbe is missing"},
      {"probed_elsewhere", in_program(at("/readinessProbe/httpGet/port", 9000)), Verdict::fail,
       "pods", "its readinessProbe calls port 9000"},
      {"privileged", in_program(at("/securityContext/privileged", true)), Verdict::warn, "pods",
       "securityContext.privileged is true, expected none"},
      {"writes_its_files", in_program(at("/securityContext/readOnlyRootFilesystem", false)),
       Verdict::warn, "pods", "readOnlyRootFilesystem is false"},
      {"as_root", in_spec("/securityContext/runAsUser", 0), Verdict::warn, "pods",
       "securityContext.runAsUser is 0, expected 65532"},
      {"as_another_user", in_spec("/securityContext/runAsUser", 1000), Verdict::ok, "values",
       "runAsUser 1000"},
      {"with_no_group_of_files",
       [](Objects& objects) { template_of(objects)["spec"]["securityContext"].erase("fsGroup"); },
       Verdict::ok, "values", "runAsGroup 65532; terminationGracePeriodSeconds"},
      {"of_more_groups", in_spec("/securityContext/supplementalGroups", {4}), Verdict::warn, "pods",
       "securityContext.supplementalGroups is [4], expected none"},
      {"a_port_of_the_host", in_program(at("/ports/0/hostPort", 10250)), Verdict::warn, "pods",
       "ports[https].hostPort is 10250, expected none"},
      {"a_port_by_udp", in_program(at("/ports/0/protocol", "UDP")), Verdict::warn, "pods",
       "ports[https].protocol is \"UDP\""},
      {"a_port_more", in_program([](Json& each) {
         each["ports"].push_back({{"name", "debug"}, {"containerPort", 6060}});
       }),
       Verdict::warn, "pods", "ports[debug] is"},
      {"a_patient_probe", in_program(at("/readinessProbe/failureThreshold", 100)), Verdict::warn,
       "pods", "readinessProbe.failureThreshold is 100, expected 3"},
      {"a_container_more",
       [](Objects& objects) {
         template_of(objects)["spec"]["containers"].push_back({{"name", "vault-agent"}});
       },
       Verdict::warn, "pods", "containers[vault-agent] is"},
      {"a_gate_of_scheduling", in_spec("/schedulingGates", Json::array({{{"name", "mine"}}})),
       Verdict::warn, "pods", "schedulingGates is"},
      {"a_gate_of_readiness",
       in_spec("/readinessGates", Json::array({{{"conditionType", "mine"}}})), Verdict::warn,
       "pods", "readinessGates is"},
      {"another_scheduler", in_spec("/schedulerName", "mine"), Verdict::warn, "pods",
       "schedulerName is \"mine\", expected none"},
      {"devices", in_spec("/resourceClaims", Json::array({{{"name", "tpu"}}})), Verdict::warn,
       "pods", "resourceClaims is"},
      {"little_grace", in_spec("/terminationGracePeriodSeconds", 5), Verdict::warn, "pods",
       "terminationGracePeriodSeconds is 5, expected 30"},
      {"rolled_out_slowly", in("Deployment", at("/spec/minReadySeconds", 600)), Verdict::ok,
       "values", "minReadySeconds 600"},
      {"two_at_a_time", in("Deployment", at("/spec/strategy/rollingUpdate/maxSurge", 2)),
       Verdict::ok, "values", "rollingUpdate {\"maxSurge\":2"},
      {"by_other_names", in_spec("/dnsConfig", {{"searches", {"a.example"}}}), Verdict::ok,
       "values", "dnsConfig {\"searches\":[\"a.example\"]}"},
      {"no_history", in("Deployment", at("/spec/revisionHistoryLimit", 0)), Verdict::warn, "pods",
       "revisionHistoryLimit is 0, expected none"},
      {"settings_of_another_secret", in_spec("/volumes/0/secret/secretName", "mine"), Verdict::warn,
       "pods", "volumes[config].secret.secretName is \"mine\""},
      {"settings_that_all_may_read", in_spec("/volumes/0/secret/defaultMode", 0444), Verdict::warn,
       "pods", "volumes[config].secret.defaultMode is 292, expected 288"},
      {"settings_that_may_be_written", in_program(at("/volumeMounts/0/readOnly", false)),
       Verdict::warn, "pods", "volumeMounts[config].readOnly is false"},
      {"settings_that_never_change", in_program(at("/volumeMounts/0/subPath", "x")), Verdict::warn,
       "pods", "volumeMounts[config].subPath is \"x\", expected none"},
      {"a_volume_more",
       [](Objects& objects) {
         template_of(objects)["spec"]["volumes"].push_back(
             {{"name", "v"}, {"emptyDir", Json::object()}});
       },
       Verdict::ok, "values", "volumes v"},
      {"a_variable", in_program(at("/env", Json::array({{{"name", "TZ"}, {"value", "UTC"}}}))),
       Verdict::ok, "values", "variables TZ"},
      {"pulled_always", in_program(at("/imagePullPolicy", "Always")), Verdict::ok, "values",
       "imagePullPolicy Always"},
      {"another_registry", in_program(at("/image", "elsewhere/tpu-webhook:0.1.0")), Verdict::ok,
       "values", "image elsewhere/tpu-webhook:0.1.0"},
      {"a_secret_to_pull", in_spec("/imagePullSecrets", Json::array({{{"name", "s"}}})),
       Verdict::ok, "values", "imagePullSecrets s"},
      {"more_cpu", in_program(at("/resources/requests/cpu", "2")), Verdict::ok, "values",
       "\"cpu\":\"2\""},
      {"on_some_nodes", in_spec("/nodeSelector", {{"pool", "system"}}), Verdict::ok, "values",
       "nodeSelector {\"pool\":\"system\"}"},
      {"tolerates_all", in_spec("/tolerations", Json::array({{{"operator", "Exists"}}})),
       Verdict::ok, "values", "tolerations [{"},
      {"by_affinity", in_spec("/affinity", {{"nodeAffinity", {{"a", "b"}}}}), Verdict::ok, "values",
       "affinity {"},
      {"of_the_host", in_spec("/hostNetwork", true), Verdict::warn, "pods",
       "hostNetwork is true, expected none"},
      {"another_account", in_spec("/serviceAccountName", "default"), Verdict::warn, "pods",
       "serviceAccountName is \"default\""},
      {"no_token",
       [](Objects& objects) {
         Json& volumes = template_of(objects)["spec"]["volumes"];
         std::erase_if(volumes.get_ref<Json::array_t&>(),
                       [](const Json& each) { return each["name"] == "account"; });
       },
       Verdict::fail, "pods", "enabled features need a token to call the API server"},
      {"a_token_mounted_by_default", in_spec("/automountServiceAccountToken", true), Verdict::warn,
       "pods", "automountServiceAccountToken is true, expected none"},
      {"another_priority",
       [](Objects& objects) {
         in_spec("/priorityClassName", "low")(objects);
         objects.push_back(
             {{"kind", "PriorityClass"}, {"metadata", {{"name", "low"}}}, {"value", 5}});
       },
       Verdict::ok, "pods", "of priority class low"},
      {"no_priority",
       [](Objects& objects) { template_of(objects)["spec"].erase("priorityClassName"); },
       Verdict::ok, "pods", "of priority class none"},
      {"a_recreation", in("Deployment", at("/spec/strategy", {{"type", "Recreate"}})),
       Verdict::warn, "pods", "strategy.type is \"Recreate\""},
      {"little_memory", in_program(at("/resources/limits/memory", "64Mi")), Verdict::ok, "pods",
       "with limit 64Mi for memory"},
      {"a_proxy",
       in_program(at("/env", Json::array({{{"name", "HTTPS_PROXY"}, {"value", "http://proxy:3128"}},
                                          {{"name", "GOGC"}, {"value", "1"}}}))),
       Verdict::warn, "replicas", "HTTPS_PROXY is set for the program, which uses no proxy"},
  };
  return all;
}

const All& of_replicas() {
  static const All all = {
      {"none", in("Deployment", at("/spec/replicas", 0)), Verdict::fail, "deployment",
       "has spec.replicas 0"},
      {"a_single_one",
       in("Deployment",
          [](Json& each) { each["spec"]["replicas"] = each["status"]["availableReplicas"] = 1; }),
       Verdict::warn, "deployment", "1 of 1 replicas available"},
      {"one_missing", in("Deployment", at("/status/availableReplicas", 2)), Verdict::warn,
       "deployment", "2 of 3 replicas available"},
      {"one_that_ends",
       [](Objects& objects) {
         object_of(objects, "Deployment")["status"]["availableReplicas"] = 2;
         object_of(objects, "Pod", "a")["status"]["containerStatuses"] = Json::array(
             {{{"name", "tpu-webhook"},
               {"ready", false},
               {"restartCount", 9},
               {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}},
               {"lastState", {{"terminated", {{"reason", "OOMKilled"}, {"exitCode", 137}}}}}}});
       },
       Verdict::warn, "deployment",
       "Pod a: container tpu-webhook waits (CrashLoopBackOff), ended before (OOMKilled, exit code "
       "137), 9 restarts"},
      {"one_on_no_node",
       [](Objects& objects) {
         object_of(objects, "Deployment")["status"]["availableReplicas"] = 2;
         object_of(objects, "Pod", "a")["status"]["conditions"] =
             Json::array({{{"type", "PodScheduled"},
                           {"status", "False"},
                           {"message", "0/3 nodes are available: 3 Insufficient memory."}}});
       },
       Verdict::warn, "deployment", "Pod a: is on no node: 0/3 nodes are available"},
      {"one_without_an_image",
       [](Objects& objects) {
         object_of(objects, "Pod", "a")["status"]["containerStatuses"] =
             Json::array({{{"name", "tpu-webhook"},
                           {"ready", false},
                           {"state", {{"waiting", {{"reason", "ImagePullBackOff"}}}}}}});
       },
       Verdict::warn, "deployment", "Pod a: container tpu-webhook waits (ImagePullBackOff)"},
      {"a_quota",
       in("Deployment",
          [](Json& each) {
            each["status"]["availableReplicas"] = 2;
            each["status"]["conditions"] = Json::array({{{"type", "ReplicaFailure"},
                                                         {"status", "True"},
                                                         {"message", "exceeded quota: critical"}}});
          }),
       Verdict::warn, "deployment", "exceeded quota: critical"},
      {"paused", in("Deployment", at("/spec/paused", true)), Verdict::warn, "deployment",
       "is paused"},
      {"no_deployment", gone("Deployment"), Verdict::fail, "deployment", "does not exist"},
      {"two_images",
       [](Objects& objects) {
         object_of(objects, "Pod")["spec"]["containers"][0]["image"] = "tpu-webhook:old";
       },
       Verdict::warn, "versions", "replicas run different images"},
      {"another_image", in_pods(at("/spec/containers/0/image", "tpu-webhook:old")), Verdict::warn,
       "versions", "the Deployment's image is tpu-webhook:0.1.0"},
      {"all_on_one_node", in_pods(at("/spec/nodeName", "node-0")), Verdict::warn, "replicas",
       "all 3 replicas are on node node-0"},
      {"two_on_one_node",
       [](Objects& objects) { object_of(objects, "Pod", "a")["spec"]["nodeName"] = "node-2"; },
       Verdict::ok, "replicas", "3 replicas on node-1, node-2"},
      {"istio", in_pods([](Json& pod) {
         pod["spec"]["containers"].push_back({{"name", "istio-proxy"}});
       }),
       Verdict::warn, "replicas", "istio-proxy (Istio) is in front of the program in a, b, c"},
      {"istio_beside_the_port", in_pods([](Json& pod) {
         pod["spec"]["containers"].push_back({{"name", "istio-proxy"}});
         pod["metadata"]["annotations"]["traffic.sidecar.istio.io/excludeInboundPorts"] =
             "15020,10250";
       }),
       Verdict::ok, "replicas", "other containers: istio-proxy"},
      {"linkerd", in_pods([](Json& pod) {
         pod["spec"]["initContainers"] =
             Json::array({{{"name", "linkerd-proxy"}, {"restartPolicy", "Always"}}});
       }),
       Verdict::warn, "replicas", "linkerd-proxy (Linkerd)"},
      {"another_sidecar", in_pods([](Json& pod) {
         pod["spec"]["containers"].push_back({{"name", "vault-agent"}});
       }),
       Verdict::ok, "replicas", "other containers: vault-agent"},
      {"older_settings",
       [](Objects& objects) {
         object_of(objects, "Pod")["metadata"]["annotations"]["checksum/config"] = "0";
       },
       Verdict::warn, "settings", "replicas run with another configuration file"},
  };
  return all;
}

std::function<void(Objects&)> settings(const char* from, const char* to) {
  return [=](Objects& objects) {
    Json& file = object_of(objects, "Secret", "tpu-webhook-config")["data"]["config.json"];
    std::string text = *text::decode_base64(file.get<std::string>());
    replace_text(text, from, to);
    file = text::encode_base64(text);
  };
}

const All& of_settings() {
  static const All all = {
      {"settings_that_nobody_has_read", settings(R"("format": "json")", R"("format": "text")"),
       Verdict::warn, "settings", "is not the one that the Deployment was rendered with"},
      {"settings_in_shadow_mode", settings(R"("enforce")", R"("shadow")"), Verdict::warn,
       "settings", "Pods are only reviewed (shadow)"},
      {"settings_that_end_it", settings(R"("enforce")", R"("enforced")"), Verdict::fail, "settings",
       "a replica that starts exits immediately"},
      {"an_unknown_setting", settings(R"("enforce")", R"("enforce", "mod": "x")"), Verdict::fail,
       "settings", "a replica that starts exits immediately"},
      {"another_port_in_the_settings", settings("\":10250\"", "\":8443\""), Verdict::fail,
       "service", "the program listens at 8443 (listen in its configuration file)"},
      {"no_settings", gone("Secret", "tpu-webhook-config"), Verdict::unknown, "settings",
       "there is no Secret tpu-webhook-config"},
      {"no_certificate", gone("Secret", "tpu-webhook-certificate"), Verdict::fail, "certificate",
       "tpu-webhook-certificate does not exist; Deployment tpu-webhook mounts it, and Deployment "
       "tpu-webhook-keeper writes the certificate into it"},
      {"a_certificate_elsewhere",
       [](Objects& objects) {
         object_of(objects, "Secret", "tpu-webhook-certificate")["metadata"]["namespace"] = "ml";
       },
       Verdict::fail, "certificate", "does not exist"},
  };
  return all;
}

// ---- what else the chart renders

Json quota_of(const char* name, Json spec, Json status = Json::object()) {
  return {{"kind", "ResourceQuota"},
          {"metadata", {{"name", name}, {"namespace", here}}},
          {"spec", std::move(spec)},
          {"status", std::move(status)}};
}

// The ResourceQuota of a class of the system's.
std::function<void(Objects&)> allowed(const char* priority_class,
                                      std::function<void(Json&)> change = {}) {
  return [=](Objects& objects) {
    const Json of_class = {
        {"scopeName", "PriorityClass"}, {"operator", "In"}, {"values", {priority_class}}};
    Json quota = quota_of("", {{"hard", {{"pods", "200"}}},
                               {"scopeSelector", {{"matchExpressions", Json::array({of_class})}}}});
    quota["metadata"] = object_of(objects, "Service")["metadata"];
    quota["metadata"]["name"] = "tpu-webhook-critical-pods";
    quota.erase("status");  // not rendered
    if (change) change(quota);
    objects.push_back(quota);
  };
}

std::function<void(Objects&)> critical(std::function<void(Objects&)> more = {}) {
  return [=](Objects& objects) {
    in_spec("/priorityClassName", "system-cluster-critical")(objects);
    std::erase_if(objects, [](const Json& each) { return each["kind"] == "PriorityClass"; });
    if (more) more(objects);
  };
}

std::function<void(Objects&)> with_object(Json object) {
  return [=](Objects& objects) { objects.push_back(object); };
}

// As podMonitor.enabled renders it.
std::function<void(Objects&)> monitored(std::function<void(Json&)> change = {}) {
  return [=](Objects& objects) {
    Json monitor = {
        {"kind", "PodMonitor"},
        {"metadata", object_of(objects, "Service")["metadata"]},
        {"spec",
         {{"selector", object_of(objects, "Deployment")["spec"]["selector"]},
          {"podMetricsEndpoints", Json::array({{{"port", "metrics"}, {"path", "/metrics"}}})}}}};
    if (change) change(monitor);
    objects.push_back(monitor);
  };
}

// As certificate.mode=cert-manager renders it, and cert-manager has issued.
std::function<void(Objects&)> managed(std::function<void(Objects&)> more = {}) {
  return [=](Objects& objects) {
    Json secret = object_of(objects, "Secret", "tpu-webhook-certificate");
    secret["metadata"] = {{"name", "tpu-webhook-tls"}, {"namespace", here}};
    objects.push_back(secret);
    std::erase_if(objects, [](const Json& each) {
      return each["metadata"]["name"] == "tpu-webhook-certificate" ||
             each["metadata"]["name"] == "tpu-webhook-keeper";
    });
    for (Json& each : template_of(objects)["spec"]["volumes"]) {
      if (each["name"] != "certificate") continue;
      each["secret"]["secretName"] = "tpu-webhook-tls";
      each["secret"].erase("optional");
    }
    for (const char* kind : {mutating, validating})
      object_of(objects, kind)["metadata"]["annotations"]["cert-manager.io/inject-ca-from"] =
          here + "/tpu-webhook";
    const std::string name = "tpu-webhook." + here + ".svc";
    objects.push_back(
        {{"kind", "Certificate"},
         {"metadata", object_of(objects, "Service")["metadata"]},
         {"spec",
          {{"secretName", "tpu-webhook-tls"},
           {"issuerRef", {{"kind", "Issuer"}, {"name", "tpu-webhook"}}},
           {"dnsNames", {name, name + ".cluster.local"}},
           {"usages", {"server auth", "digital signature"}},
           {"privateKey", {{"algorithm", "ECDSA"}, {"size", 256}, {"rotationPolicy", "Always"}}},
           {"duration", "2160h0m0s"}}}});
    if (more) more(objects);
  };
}

const All& of_managed() {
  static const All all = {
      {"managed", managed(), Verdict::ok, "cert-manager", "is issued by Issuer tpu-webhook"},
      {"managed_with_the_rights_to_issue",
       managed(in("Role",
                  [](Json& each) {
                    each["rules"].push_back({{"apiGroups", {""}},
                                             {"resources", {"secrets"}},
                                             {"resourceNames", {"tpu-webhook-certificate"}},
                                             {"verbs", {"get", "update"}}});
                  })),
       Verdict::warn, "rbac",
       "grants more than `tpu-webhook serve` needs: get of secrets, update of secrets", managed()},
      {"managed_by_nobody", managed(gone("Certificate")), Verdict::warn, "cert-manager",
       "there is no Certificate tpu-webhook", managed()},
      {"managed_for_another_name",
       managed(in("Certificate", at("/spec/dnsNames", {"else.where.svc"}))), Verdict::warn,
       "cert-manager", "dnsNames is [\"else.where.svc\"]", managed()},
      {"managed_into_another_secret", managed(in("Certificate", at("/spec/secretName", "mine"))),
       Verdict::warn, "cert-manager", "secretName is \"mine\", expected \"tpu-webhook-tls\"",
       managed()},
      {"managed_for_other_usages", managed(in("Certificate", at("/spec/usages", {"client auth"}))),
       Verdict::warn, "cert-manager", "usages is [\"client auth\"]", managed()},
      {"managed_for_an_hour", managed(in("Certificate", at("/spec/duration", "1h0m0s"))),
       Verdict::warn, "cert-manager", "duration is \"1h0m0s\"", managed()},
      {"managed_and_not_issued",
       managed(in("Certificate", at("/status/conditions",
                                    Json::array({{{"type", "Ready"},
                                                  {"status", "False"},
                                                  {"message", "Issuer tpu-webhook not found"}}})))),
       Verdict::warn, "cert-manager", "has issued nothing for Certificate tpu-webhook: Issuer",
       managed()},
      {"managed_and_not_injected",
       managed(in(mutating,
                  [](Json& each) {
                    each["metadata"]["annotations"].erase("cert-manager.io/inject-ca-from");
                  })),
       Verdict::warn, "labels", "cert-manager.io/inject-ca-from is not", managed()},
      {"managed_and_injected_from_elsewhere",
       managed(in(validating, at("/metadata/annotations/cert-manager.io~1inject-ca-from", "a/b"))),
       Verdict::warn, "labels", "ValidatingWebhookConfiguration: cert-manager.io/inject-ca-from",
       managed()},
  };
  return all;
}

const All& of_flow() {
  static const All all = {
      {"no_flow_schema", gone("FlowSchema"), Verdict::ok, "flow-schema",
       "are in the queue of all ServiceAccounts"},
      {"another_precedence", in("FlowSchema", at("/spec/matchingPrecedence", 9999)), Verdict::warn,
       "flow-schema", "matchingPrecedence is 9999, expected 1000"},
      {"requests_of_another",
       in("FlowSchema", at("/spec/rules/0/subjects/0/serviceAccount/name", "other")), Verdict::warn,
       "flow-schema", "rules differs"},
      {"requests_of_fewer_kinds",
       in("FlowSchema", at("/spec/rules/0/resourceRules/0/resources", {"pods"})), Verdict::warn,
       "flow-schema", "rules differs"},
      {"a_schema_of_no_requests", in("FlowSchema", at("/spec/rules", Json::array())), Verdict::warn,
       "flow-schema", "rules is [], expected another"},
      {"not_by_user",
       in("FlowSchema", [](Json& each) { each["spec"].erase("distinguisherMethod"); }),
       Verdict::warn, "flow-schema", "distinguisherMethod is missing"},
      {"a_level_that_is_not", in("FlowSchema", at("/spec/priorityLevelConfiguration/name", "none")),
       Verdict::warn, "flow-schema", "priority level none, which does not exist"},
      {"no_level",
       in("FlowSchema", [](Json& each) { each["spec"].erase("priorityLevelConfiguration"); }),
       Verdict::warn, "flow-schema", "names no priority level"},
      {"a_dangling_schema",
       in("FlowSchema",
          at("/status/conditions", Json::array({{{"type", "Dangling"}, {"status", "True"}}}))),
       Verdict::warn, "flow-schema", "which does not exist"},
      {"another_level",
       [](Objects& objects) {
         in("FlowSchema", at("/spec/priorityLevelConfiguration/name", "exempt"))(objects);
         objects.push_back({{"kind", "PriorityLevelConfiguration"},
                            {"metadata", {{"name", "exempt"}}},
                            {"spec", {{"type", "Exempt"}}}});
       },
       Verdict::ok, "flow-schema", "priority level exempt, which nothing limits"},
  };
  return all;
}

const All& of_priority() {
  static const All all = {
      {"no_priority_class", gone("PriorityClass"), Verdict::fail, "priority",
       "there is no PriorityClass tpu-webhook"},
      {"a_class_that_is_not", in_spec("/priorityClassName", "gone"), Verdict::fail, "priority",
       "there is no PriorityClass gone"},
      {"a_lower_priority", in("PriorityClass", at("/value", 10)), Verdict::warn, "priority",
       "value is 10, expected 1000000000"},
      {"a_priority_for_all", in("PriorityClass", at("/globalDefault", true)), Verdict::warn,
       "priority", "globalDefault is true, expected false"},
      {"evicts_nobody", in("PriorityClass", at("/preemptionPolicy", "Never")), Verdict::warn,
       "priority", "preemptionPolicy is \"Never\""},
      {"another_description", in("PriorityClass", at("/description", "mine")), Verdict::warn,
       "priority", "description is \"mine\""},
      {"critical_without_its_quota", critical(), Verdict::warn, "priority",
       "no ResourceQuota tpu-webhook-critical-pods allows them",
       critical(allowed("system-cluster-critical"))},
      {"critical_with_its_quota", critical(allowed("system-cluster-critical")), Verdict::ok,
       "priority", "which ResourceQuota tpu-webhook-critical-pods allows",
       critical(allowed("system-cluster-critical"))},
      {"critical_with_a_quota_of_others", critical(allowed("system-node-critical")), Verdict::warn,
       "priority", "ResourceQuota tpu-webhook-critical-pods is not as the chart renders it",
       critical(allowed("system-cluster-critical"))},
      {"critical_with_less",
       critical(allowed("system-cluster-critical", at("/spec/hard/pods", "1"))), Verdict::warn,
       "priority", "hard.pods is \"1\", expected \"200\"",
       critical(allowed("system-cluster-critical"))},
      {"a_quota_that_is_used_up",
       with_object(quota_of("all", {{"hard", {{"pods", "3"}}}},
                            {{"hard", {{"pods", "3"}}}, {"used", {{"pods", "3"}}}})),
       Verdict::warn, "quota", "is used up (all: pods (3 of 3))"},
      {"a_quota_with_room",
       with_object(quota_of("all", {{"hard", {{"pods", "9"}}}},
                            {{"hard", {{"pods", "9"}}}, {"used", {{"pods", "3"}}}})),
       Verdict::ok, "quota", "(all) are not used up"},
  };
  return all;
}

const All& of_objects() {
  static const All all = {
      {"no_account", gone("ServiceAccount"), Verdict::fail, "account", "does not exist"},
      {"a_token_for_all", in("ServiceAccount", at("/automountServiceAccountToken", true)),
       Verdict::warn, "account", "automountServiceAccountToken is not false"},
      {"a_token_by_default", in("ServiceAccount", without("automountServiceAccountToken")),
       Verdict::warn, "account", "automountServiceAccountToken is not false"},
      {"secrets_of_the_account",
       in("ServiceAccount", at("/imagePullSecrets", Json::array({{{"name", "pull"}}}))),
       Verdict::ok, "account", "its Secrets, which the chart does not name: pull"},
      {"a_label_of_another_release",
       in("Service", at("/metadata/labels/app.kubernetes.io~1instance", "x")), Verdict::warn,
       "labels", "Service: app.kubernetes.io/instance is \"x\", expected \"release\""},
      {"no_labels", in("ClusterRole", [](Json& each) { each["metadata"].erase("labels"); }),
       Verdict::warn, "labels", "ClusterRole: app.kubernetes.io/name is missing"},
      {"an_object_of_another_version",
       in(validating, at("/metadata/labels/app.kubernetes.io~1version", "0.0.9")), Verdict::warn,
       "labels", "app.kubernetes.io/version is \"0.0.9\""},
      {"an_object_of_another_chart",
       in("FlowSchema", at("/metadata/labels/helm.sh~1chart", "other-1.0.0")), Verdict::warn,
       "labels", "FlowSchema: helm.sh/chart is \"other-1.0.0\""},
      {"an_object_of_another_release",
       in(mutating, at("/metadata/annotations/meta.helm.sh~1release-name", "other")), Verdict::warn,
       "labels", "meta.helm.sh/release-name is \"other\", expected \"release\""},
      {"an_object_of_nobodys",
       in("NetworkPolicy", [](Json& each) { each["metadata"].erase("annotations"); }),
       Verdict::warn, "labels", "NetworkPolicy: meta.helm.sh/release-name is missing"},
      {"a_label_more", in("Service", at("/metadata/labels/team", "a")), Verdict::ok, "labels",
       "others, not compared: team"},
      {"an_annotation_more", in(mutating, at("/metadata/annotations/who", "a")), Verdict::ok,
       "labels", "others, not compared: who"},
      {"a_label_of_the_pods",
       [](Objects& objects) { template_of(objects)["metadata"]["labels"]["team"] = "a"; },
       Verdict::ok, "labels", "of the Pods, not compared: team"},
      {"being_deleted",
       in("ClusterRole", at("/metadata/deletionTimestamp", "2026-09-21T00:00:00Z")), Verdict::fail,
       "labels", "ClusterRole tpu-webhook was deleted"},
      {"rights_of_admins",
       in("ClusterRole",
          at("/metadata/labels/rbac.authorization.k8s.io~1aggregate-to-admin", "true")),
       Verdict::warn, "rbac", "aggregate-to-admin"},
      {"rights_of_others",
       in("ClusterRole", at("/aggregationRule", {{"clusterRoleSelectors", Json::array()}})),
       Verdict::warn, "rbac", "has /aggregationRule"},
      {"a_monitor", monitored(), Verdict::ok, "pod-monitor", "asks each replica for /metrics"},
      {"a_monitor_with_an_interval", monitored(at("/spec/podMetricsEndpoints/0/interval", "15s")),
       Verdict::ok, "pod-monitor", "every 15s"},
      {"a_monitor_of_another_port", monitored(at("/spec/podMetricsEndpoints/0/port", "https")),
       Verdict::warn, "pod-monitor", "podMetricsEndpoints", monitored()},
      {"a_monitor_of_another_path", monitored(at("/spec/podMetricsEndpoints/0/path", "/healthz")),
       Verdict::warn, "pod-monitor", "podMetricsEndpoints", monitored()},
      {"a_monitor_of_other_pods", monitored(at("/spec/selector/matchLabels", {{"a", "b"}})),
       Verdict::warn, "pod-monitor", "selector.matchLabels.a is \"b\", expected none", monitored()},
  };
  return all;
}

const All& of_spreading() {
  static const All all = {
      {"not_spread",
       [](Objects& objects) { template_of(objects)["spec"].erase("topologySpreadConstraints"); },
       Verdict::warn, "spreading", "topologySpreadConstraints and podAntiAffinity are missing"},
      {"kept_apart",
       [](Objects& objects) {
         template_of(objects)["spec"].erase("topologySpreadConstraints");
         template_of(objects)["spec"]["affinity"] = {{"podAntiAffinity", {{"a", "b"}}}};
       },
       Verdict::ok, "spreading", "podAntiAffinity, which is not compared"},
      {"spread_as_others_are",
       in_spec("/topologySpreadConstraints/0/labelSelector/matchLabels", {{"a", "b"}}),
       Verdict::warn, "spreading", "of kubernetes.io/hostname do not select"},
      {"spread_by_force",
       in_spec("/topologySpreadConstraints/0/whenUnsatisfiable", "DoNotSchedule"), Verdict::ok,
       "spreading", "over kubernetes.io/hostname (maxSkew 1, DoNotSchedule)"},
      {"spread_over_racks", in_spec("/topologySpreadConstraints/1/topologyKey", "rack"),
       Verdict::ok, "spreading", "over rack"},
  };
  return all;
}

// ---- who may, and who is let in

const All& of_rights() {
  static const All all = {
      {"no_cluster_role", gone("ClusterRole"), Verdict::fail, "rbac", "there is no ClusterRole"},
      {"a_rule_lost", in("ClusterRole", [](Json& each) { each["rules"].erase(1); }), Verdict::fail,
       "rbac", "lacks list, watch of nodes"},
      {"a_verb_lost", in("Role", at("/rules/0/verbs", {"get", "list"})), Verdict::fail, "rbac",
       "lacks create, delete, update of configmaps"},
      {"a_right_more",
       in("ClusterRole",
          [](Json& each) {
            each["rules"].push_back(
                {{"apiGroups", {""}}, {"resources", {"secrets"}}, {"verbs", {"get"}}});
          }),
       Verdict::warn, "rbac", "grants more than `tpu-webhook serve` needs: get of secrets"},
      {"every_right",
       in("ClusterRole",
          at("/rules",
             Json::array({{{"apiGroups", {"*"}}, {"resources", {"*"}}, {"verbs", {"*"}}}}))),
       Verdict::warn, "rbac", "grants more"},
      {"no_names",
       [](Objects& objects) {
         object_of(objects, "ClusterRole", "tpu-webhook-keeper")["rules"][0].erase("resourceNames");
       },
       Verdict::warn, "rbac", "get of mutatingwebhookconfigurations"},
      {"no_keeper", gone("Deployment", "tpu-webhook-keeper"), Verdict::fail, "keeper",
       "nothing renews the certificate"},
      {"no_binding", gone("RoleBinding"), Verdict::fail, "rbac", "there is no RoleBinding"},
      {"another_subject", in("ClusterRoleBinding", at("/subjects/0/name", "other")), Verdict::fail,
       "rbac", "does not bind"},
      {"a_subject_more",
       in("ClusterRoleBinding",
          [](Json& each) {
            each["subjects"].push_back({{"kind", "Group"}, {"name", "system:authenticated"}});
          }),
       Verdict::warn, "rbac", "also grants the ClusterRole to Group system:authenticated"},
      {"another_role", in("RoleBinding", at("/roleRef/name", "edit")), Verdict::fail, "rbac",
       "does not bind"},
  };
  return all;
}

const All& of_network() {
  static const All all = {
      {"lets_nobody_in", in("NetworkPolicy", at("/spec/ingress", Json::array())), Verdict::fail,
       "network-policy", "allow no caller at port 10250"},
      {"lets_in_elsewhere",
       in("NetworkPolicy", at("/spec/ingress/0/ports", Json::array({{{"port", 8443}}}))),
       Verdict::fail, "network-policy", "allow no caller at port 10250"},
      {"lets_in_by_udp", in("NetworkPolicy", at("/spec/ingress/0/ports/0/protocol", "UDP")),
       Verdict::fail, "network-policy", "allow no caller at port 10250"},
      {"lets_in_some",
       in("NetworkPolicy",
          at("/spec/ingress/0/from", Json::array({{{"podSelector", Json::object()}}}))),
       Verdict::unknown, "network-policy", "whether NetworkPolicies ("},
      {"lets_in_no_probes",
       in("NetworkPolicy", [](Json& each) { each["spec"]["ingress"][0]["ports"].erase(1); }),
       Verdict::warn, "network-policy", "where probes are served"},
      {"lets_in_nobody_to_metrics",
       in("NetworkPolicy", [](Json& each) { each["spec"]["ingress"].erase(1); }), Verdict::warn,
       "network-policy", "where metrics are served"},
      {"lets_nobody_out", in("NetworkPolicy", at("/spec/egress", Json::array())), Verdict::fail,
       "network-policy", "do not allow the program to reach an API server"},
      {"lets_out_to_names_alone",
       in("NetworkPolicy", [](Json& each) { each["spec"]["egress"].erase(0); }), Verdict::fail,
       "network-policy", "do not allow the program to reach an API server"},
      {"lets_all_out", in("NetworkPolicy", at("/spec/egress", Json::array({Json::object()}))),
       Verdict::ok, "network-policy", "to any port"},
      {"of_other_pods", in("NetworkPolicy", at("/spec/podSelector/matchLabels", {{"a", "b"}})),
       Verdict::warn, "network-policy", "selects no Pod of the Deployment"},
      {"no_network_policy", gone("NetworkPolicy"), Verdict::ok, "network-policy",
       "no NetworkPolicy selects the replicas"},
      {"denied_by_another_as_well",
       [](Objects& objects) {
         objects.push_back(
             policy_of({{"podSelector", Json::object()}, {"policyTypes", {"Ingress", "Egress"}}}));
       },
       Verdict::ok, "network-policy", "NetworkPolicies (tpu-webhook, deny)"},
      {"no_budget", gone("PodDisruptionBudget"), Verdict::warn, "disruption",
       "no PodDisruptionBudget selects the replicas"},
      {"a_budget_of_others",
       in("PodDisruptionBudget", at("/spec/selector/matchLabels", {{"a", "b"}})), Verdict::warn,
       "disruption", "selector does not match them"},
      {"a_budget_of_nothing", in("PodDisruptionBudget", at("/spec/maxUnavailable", 0)),
       Verdict::warn, "disruption", "never allows one of 3 replicas to be evicted"},
      {"a_budget_of_all",
       in("PodDisruptionBudget",
          [](Json& each) {
            each["spec"].erase("maxUnavailable");
            each["spec"]["minAvailable"] = 3;
          }),
       Verdict::warn, "disruption", "never allows one of 3 replicas to be evicted"},
      {"a_wider_budget", in("PodDisruptionBudget", at("/spec/maxUnavailable", 3)), Verdict::warn,
       "disruption", "maxUnavailable is 3, expected 1"},
      {"a_budget_for_the_unhealthy",
       in("PodDisruptionBudget",
          [](Json& each) { each["spec"].erase("unhealthyPodEvictionPolicy"); }),
       Verdict::warn, "disruption", "unhealthyPodEvictionPolicy is missing"},
      {"two_budgets",
       [](Objects& objects) {
         Json other = object_of(objects, "PodDisruptionBudget");
         other["metadata"]["name"] = "mine";
         objects.push_back(other);
       },
       Verdict::warn, "disruption", "evicts no Pod that has two"},
  };
  return all;
}

const All& of_neighbours() {
  static const All all = {
      {"a_later_one",
       [](Objects& objects) { objects.push_back(another_configuration("zone-injector")); },
       Verdict::ok, "order", "called after tpu-webhook for new Pods: zone-injector"},
      {"an_earlier_one_that_is_asked_again",
       [](Objects& objects) { objects.push_back(another_configuration("a-injector")); },
       Verdict::ok, "order", "called before it, and again after it"},
      {"a_rival",
       [](Objects& objects) { objects.push_back(another_configuration("kuberay-tpu-webhook")); },
       Verdict::warn, "rival", "the KubeRay TPU webhook"},
  };
  return all;
}

All alterations() {
  All out;
  for (const All* each :
       {&of_calls(), &of_conditions(), &of_selectors(), &of_rules(), &of_policies(), &of_entries(),
        &of_validation(), &of_service(), &of_program(), &of_replicas(), &of_settings(),
        &of_managed(), &of_flow(), &of_priority(), &of_objects(), &of_spreading(), &of_rights(),
        &of_network(), &of_neighbours()})
    out.insert(out.end(), each->begin(), each->end());
  return out;
}

const Objects& sound() {
  static const Objects objects = sound_objects();
  return objects;
}

// ---- a person who does what is said

// A fix as it is printed, without what stands behind "#": the commands of it.
std::vector<std::string> commands_of(const std::string& fix) {
  std::string text = fix.substr(0, fix.find(" # "));
  std::vector<std::string> out;
  for (std::size_t at = 0; at != text.npos;) {
    const std::size_t end = text.find(" && ", at);
    out.push_back(text.substr(at, end == text.npos ? end : end - at));
    at = end == text.npos ? end : end + 4;
  }
  return out;
}

bool is_named_list(const Json& list) {
  return list.is_array() && !list.empty() &&
         std::all_of(list.begin(), list.end(),
                     [](const Json& each) { return each.is_object() && each.contains("name"); });
}

// Helm's patch of three ways, with the rendered objects as they were: what is rendered is put back,
// what somebody has added stays.
Json put_back_into(const Json& live, const Json& rendered, const std::string& in = {}) {
  // Kubernetes merges these by name, and takes any other list as a whole.
  static const std::set<std::string> merged = {"webhooks", "containers", "env", "volumes",
                                               "matchConditions"};
  if (live.is_object() && rendered.is_object()) {
    Json out = live;
    for (const auto& [key, value] : rendered.items())
      out[key] = live.contains(key) ? put_back_into(live[key], value, key) : value;
    return out;
  }
  if (merged.contains(in) && is_named_list(live) && is_named_list(rendered)) {
    Json out = Json::array();
    for (const Json& each : rendered) {
      const auto same = std::find_if(live.begin(), live.end(), [&](const Json& other) {
        return other["name"] == each["name"];
      });
      out.push_back(same == live.end() ? each : put_back_into(*same, each));
    }
    for (const Json& each : live)
      if (std::none_of(rendered.begin(), rendered.end(),
                       [&](const Json& other) { return other["name"] == each["name"]; }))
        out.push_back(each);
    return out;
  }
  return rendered;
}

void upgrade(Objects& objects, const Objects& sound) {
  for (const Json& each : sound) {
    if (!each["metadata"].contains("annotations")) continue;  // not Helm's
    const auto found = std::find_if(objects.begin(), objects.end(), [&](const Json& other) {
      return other["kind"] == each["kind"] &&
             other["metadata"]["name"] == each["metadata"]["name"] &&
             other["metadata"].value("namespace", "") == each["metadata"].value("namespace", "");
    });
    // What the program and the API server write is not rendered.
    if (found == objects.end())
      objects.push_back(each);
    else
      *found = put_back_into(*found, each);
  }
}

void patch(Objects& objects, const std::string& command) {
  const std::size_t what = command.find("patch ") + 6, name = command.find(' ', what);
  const std::size_t begin = command.find("-p '") + 4;
  std::string kind = command.substr(what, name - what);
  for (Json& each : objects) {
    auto lower = each["kind"].get<std::string>();
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower == kind && each["metadata"]["name"] == "tpu-webhook")
      each = each.patch(Json::parse(command.substr(begin, command.rfind('\'') - begin)));
  }
}

// One command of those that are done here.
void do_it(Objects& objects, const std::string& command, const Objects& before) {
  if (command.starts_with("helm")) return upgrade(objects, before);
  if (command.find(" patch ") != command.npos) return patch(objects, command);
  std::erase_if(objects, [](const Json& each) {
    return each["kind"] == "PriorityClass" && each["metadata"]["name"] == "tpu-webhook";
  });
}

// New Pods of the Deployment, and what the controllers say of them.
void roll_out(Objects& objects) {
  std::erase_if(objects, [](const Json& each) {
    return each["kind"] == "Pod" || each["kind"] == "EndpointSlice";
  });
  for (std::size_t i = 0; i < replica_names.size(); ++i)
    objects.push_back(pod_named(objects, replica_names[i], "node-" + std::to_string(i)));
  objects.push_back(slice_of(replica_names, "IPv4"));
  Json& deployment = object_of(objects, "Deployment");
  deployment["status"] = {{"availableReplicas", deployment["spec"]["replicas"]}};
}

// Whether a fix is nothing but what is done here.
bool is_done_here(const std::string& fix) {
  const auto all = commands_of(fix);
  return std::ranges::all_of(all, [](const std::string& each) {
    const bool upgrades = each.starts_with("helm upgrade release charts/tpu-webhook -n ") &&
                          each.ends_with("--reset-then-reuse-values");
    return upgrades || (each.starts_with("kubectl ") && each.find(" patch ") != each.npos) ||
           each == "kubectl delete priorityclass tpu-webhook";
  });
}

// ---- the tests

std::string answer_of(const Objects& objects) {
  return checks_text(examine(live_view(objects)), false).text();
}

const std::string& sound_answer() {
  static const std::string text = answer_of(sound());
  return text;
}

Objects altered(const Alteration& by) {
  Objects objects = sound();
  by.alter(objects);
  return objects;
}

// Each is examined once for all tests.
const Checks& checks_of(const Alteration& by) {
  static std::map<std::string, Checks> known;
  Checks& out = known[by.name];
  if (out.empty()) out = examine(live_view(altered(by)));
  return out;
}

// No line of another check is not OK.
const std::set<std::string_view> reported_alone = {
    "never_asked_again",   "no_reinvocation",  "no_conditions",
    "one_failure_ignored", "a_short_wait",     "another_path",
    "no_policy",           "a_bundle_missing", "validation_by_another_ca",
    "no_service",          "none_ready",       "one_missing",
    "no_certificate",      "a_rule_lost",      "a_verb_lost",
    "no_keeper",           "a_rival"};

class AlterationTest : public testing::TestWithParam<Alteration> {};

TEST_P(AlterationTest, is_told_from_the_sound_installation) {
  const Checks& checks = checks_of(GetParam());
  const std::string answer = checks_text(checks, false).text();
  EXPECT_NE(answer, sound_answer());
  EXPECT_TRUE(std::ranges::any_of(checks,
                                  [&](const Check& each) {
                                    return each.verdict == GetParam().verdict &&
                                           each.check == GetParam().check &&
                                           each.what.find(GetParam().what) != std::string::npos;
                                  }))
      << "expected " << name(GetParam().verdict) << ' ' << GetParam().check << ": "
      << GetParam().what << '\n'
      << answer;
  if (GetParam().verdict == Verdict::ok) {
    EXPECT_TRUE(std::ranges::all_of(checks, [](const Check& each) {
      return each.verdict == Verdict::ok;
    })) << answer;
  }
  for (const Check& each : checks) {
    if (reported_alone.contains(GetParam().name) && each.verdict != Verdict::ok) {
      EXPECT_EQ(each.check, GetParam().check) << each.what;
    }
    EXPECT_EQ(each.fix.empty(), each.verdict == Verdict::ok) << each.what;
    const std::string before_note = each.fix.substr(0, each.fix.find(" # "));
    EXPECT_THAT(before_note, testing::Not(testing::ContainsRegex("(helm|kubectl) .*[;`]")));
  }
}

INSTANTIATE_TEST_SUITE_P(table, AlterationTest, testing::ValuesIn(alterations()), case_name);

// Wherever that is an upgrade that keeps all values, or a patch: tests/charts/fixes.py has the
// others.
TEST(AlterationsTest, what_is_printed_mends_it_and_changes_nothing_else) {
  int mended = 0;
  for (const Alteration& one : alterations()) {
    SCOPED_TRACE(one.name);
    std::set<std::string> fixes;
    for (const Check& each : checks_of(one))
      if (each.verdict == Verdict::fail || each.verdict == Verdict::warn) fixes.insert(each.fix);
    if (fixes.empty() || !std::ranges::all_of(fixes, is_done_here)) continue;
    ++mended;
    Objects before = sound(), objects = altered(one);
    if (one.chosen) one.chosen(before);
    for (const std::string& fix : fixes)
      for (const std::string& each : commands_of(fix)) do_it(objects, each, before);
    roll_out(objects);
    EXPECT_EQ(answer_of(objects), one.chosen ? answer_of(before) : sound_answer());
  }
  EXPECT_GE(mended, 90);
}

// What the real helm and kubectl run in tests/charts/fixes.py, as it is printed.
constexpr std::string_view run_there[] = {
    "--set failurePolicy=Fail",
    "--set timeoutSeconds=10",
    "--set replicas=3",
    "--set port=",
    "--set priorityClassName=tpu-webhook",
    "--set flowSchema.priorityLevel=workload-high",
    "--set 'config.workloads={",
    "--set-json 'extraArgs=[]'",
    "--set-json 'extraEnv=[]'",
    "--set-string 'podLabels.sidecar",
    "--set-string 'podAnnotations.linkerd",
    "--set-file certificate.caBundle=ca.crt",
    "helm install ",
    "helm uninstall ",
    "helm rollback ",
    " describe deployment,pods",
    " describe certificates",
    " get pods,events",
    " get pods --show-labels",
    " logs ",
    " create secret tls ",
    " rollout status deployment/tpu-webhook",
    " rollout resume deployment/tpu-webhook",
    " rollout restart deployment/tpu-webhook",
    "kubectl label namespace NAME ",
};

TEST(AlterationsTest, every_command_that_is_printed_is_run_by_a_test) {
  for (const Alteration& one : alterations()) {
    for (const Check& each : checks_of(one)) {
      const bool commands =
          each.fix.find("helm ") != each.fix.npos || each.fix.find("kubectl ") != each.fix.npos;
      if (!commands || is_done_here(each.fix)) continue;
      const bool there = std::ranges::any_of(
          run_there, [&](std::string_view part) { return each.fix.find(part) != each.fix.npos; });
      // An upgrade or a patch behind a sentence is one that is done here.
      EXPECT_TRUE(there || each.fix.find("--reset-then-reuse-values") != each.fix.npos)
          << one.name << ": " << each.fix;
    }
  }
}

// Each row of the table is printed, and at no more than its level.
TEST(AlterationsTest, print_each_row_of_the_table) {
  std::map<std::string, Verdict> worst;
  for (const Alteration& one : alterations())
    for (const Check& each : checks_of(one))
      if (each.verdict != Verdict::unknown)
        worst[each.check] = std::max(worst[each.check], each.verdict);
  for (const ids::Row& each : ids::doctor_rows) {
    // doctor_test.cpp and probe_test.cpp have these: they are not about the installation's objects.
    if (each.name == "neighbour" || each.name == "jobset" || each.name == "gangs" ||
        each.name == "driver" || each.name == "probe")
      continue;
    const auto found = worst.find(std::string(each.name));
    ASSERT_NE(found, worst.end()) << each.name << " is never printed";
    EXPECT_LE(found->second, each.level == "fail"   ? Verdict::fail
                             : each.level == "warn" ? Verdict::warn
                                                    : Verdict::ok)
        << each.name;
  }
}

TEST(AlterationsTest, a_file_says_the_same_where_it_can) {
  // No Secrets in it, as it is to be printed: the entries say what is enforced.
  const auto of_file = [](Objects objects) {
    std::erase_if(objects, [](const Json& each) { return each["kind"] == "Secret"; });
    return checks_text(examine(view_of(objects, listed_nowhere, "", test_time)), false).text();
  };
  const std::string usual = of_file(sound());
  EXPECT_EQ(usual.find("FAIL"), usual.npos) << usual;
  EXPECT_EQ(usual.find("WARN"), usual.npos) << usual;
  const std::set<std::string> of_secrets = {"settings", "certificate", "trust"};
  const All& hidden = of_settings();  // it is in a Secret
  for (const Alteration& each : alterations()) {
    if (of_secrets.contains(each.check) ||
        std::ranges::find(hidden, std::string_view(each.name), &Alteration::name) != hidden.end())
      continue;
    EXPECT_NE(of_file(altered(each)), usual) << each.name;
  }
}

// ---- every field that the chart renders

using Leaf = std::function<void(const Json::json_pointer&, const Json&)>;

void for_each_leaf(const Json& value, const Json::json_pointer& at, const Leaf& leaf) {
  if (!value.is_structured() || value.empty()) return leaf(at, value);
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) for_each_leaf(value[i], at / i, leaf);
    return;
  }
  for (const auto& [key, each] : value.items()) for_each_leaf(each, at / key, leaf);
}

// Another value that an API server takes.
Json another(const Json& leaf) {
  if (leaf == "Fail") return "Ignore";
  if (leaf == "NotIn") return "In";
  if (leaf.is_string()) return leaf.get<std::string>() + "x";
  if (leaf.is_boolean()) return !leaf.get<bool>();
  if (leaf.is_number()) return leaf.get<long>() + 1;
  return "x";
}

// With why: what is not said of them is in docs/operations.md.
bool is_nobodys(const Json& object, const std::string& path) {
  if (path == "/kind" || path == "/apiVersion") return true;  // it would be no such object
  // Of Secrets their contents alone are kept.
  return object["kind"] == "Secret" && (path == "/type" || path.starts_with("/metadata/labels") ||
                                        path.starts_with("/metadata/annotations") ||
                                        path == "/data/config.yaml");  // for the revision before
}

// Entries of workload APIs are rendered alike: the first of them stands for all.
bool is_alike(const Json& object, const std::string& path) {
  constexpr std::string_view before = "/webhooks/";
  if (object["kind"] != mutating || !path.starts_with(before)) return false;
  const char number = path[before.size()];
  return number >= '1' && number <= '5';
}

TEST(AlterationsTest, every_field_that_the_chart_renders_is_looked_at) {
  Objects before = sound();
  managed(monitored())(before);
  Objects with_quota = sound();
  critical(allowed("system-cluster-critical"))(with_quota);
  std::size_t looked_at = 0;
  const auto look_at = [&](const Objects& installed, std::size_t i) {
    const std::string usual = answer_of(installed);
    for_each_leaf(installed[i], Json::json_pointer(), [&](const auto& at, const Json& leaf) {
      const std::string path = at.to_string();
      if (is_nobodys(installed[i], path) || is_alike(installed[i], path)) return;
      Objects objects = installed;
      objects[i][at] = another(leaf);
      ++looked_at;
      EXPECT_TRUE(answer_of(objects) != usual)
          << installed[i]["kind"] << ' ' << installed[i]["metadata"]["name"] << ' ' << path;
    });
  };
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i]["kind"] != "Pod" && before[i]["metadata"].contains("annotations"))
      look_at(before, i);
  look_at(with_quota, with_quota.size() - 1);
  EXPECT_GE(looked_at, 300U);
}

// Each of them alone leaves every Pod of every workload API as it is.
TEST(AlterationsTest, what_switches_injection_off_fails) {
  for (const char* name :
       {"another_service", "another_path", "the_path_of_shadow", "another_port",
        "every_condition_false", "objects_of_nobody", "namespaces_of_nobody", "updates_alone",
        "shadow_alone", "no_entries", "no_configuration", "another_target", "another_selector",
        "another_port_by_a_flag", "lets_nobody_in", "none", "no_endpoints"}) {
    const All all = alterations();
    const auto found = std::ranges::find(all, std::string_view(name), &Alteration::name);
    ASSERT_NE(found, all.end()) << name;
    EXPECT_EQ(found->verdict, Verdict::fail) << name;
  }
}

TEST(AlterationsTest, addresses_of_two_families_are_one_endpoint) {
  Objects objects = sound();
  objects.push_back(slice_of(replica_names, "IPv6"));
  EXPECT_EQ(answer_of(objects), sound_answer());
  for (Json& each : objects)
    if (each["kind"] == "EndpointSlice")
      for (Json& endpoint : each["endpoints"]) endpoint.erase("targetRef");
  EXPECT_EQ(answer_of(objects), sound_answer());
}

}  // namespace
}  // namespace tpuwh::server::doctor
