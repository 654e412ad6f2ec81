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
  std::string name;
  std::function<void(Objects&)> alter;
  Verdict verdict = {};
  std::string check;
  std::string what;                           // part of it
  std::function<void(Objects&)> chosen = {};  // what values chose before
  bool is_alone = false;                      // no line of another check is not OK
  bool is_of_settings = false;
};

using All = std::vector<Alteration>;

// ---- changes that values of the chart make; the key "with" of alterations.yaml names one of them

// Changes the objects as the chart's value podMonitor.enabled does.
void monitored(Objects& objects) {
  objects.push_back(
      {{"kind", "PodMonitor"},
       {"metadata", object_of(objects, "Service")["metadata"]},
       {"spec",
        {{"selector", object_of(objects, "Deployment")["spec"]["selector"]},
         {"podMetricsEndpoints", Json::array({{{"port", "metrics"}, {"path", "/metrics"}}})}}}});
}

// Changes the objects as the chart's value priorityClassName=system-cluster-critical does.
void critical(Objects& objects) {
  template_of(objects)["spec"]["priorityClassName"] = "system-cluster-critical";
  std::erase_if(objects, [](const Json& each) { return each["kind"] == "PriorityClass"; });
  const Json of_class = {
      {"scopeName", "PriorityClass"}, {"operator", "In"}, {"values", {"system-cluster-critical"}}};
  Json quota = {{"kind", "ResourceQuota"},
                {"metadata", object_of(objects, "Service")["metadata"]},
                {"spec",
                 {{"hard", {{"pods", "200"}}},
                  {"scopeSelector", {{"matchExpressions", Json::array({of_class})}}}}}};
  quota["metadata"]["name"] = "tpu-webhook-critical-pods";
  objects.push_back(quota);
}

// Changes the objects as the chart's value certificate.mode=cert-manager does, after cert-manager
// has issued the certificate.
void managed(Objects& objects) {
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
}

const std::map<std::string, void (*)(Objects&)> choices = {
    {"cert-manager", managed}, {"critical", critical}, {"pod-monitor", monitored}};

// ---- the edits of alterations.yaml

// Returns the text before the first `mark` and the text after it. Without a mark, the second text
// is empty.
std::pair<std::string, std::string> cut(const std::string& text, char mark) {
  const std::size_t at = text.find(mark);
  return {text.substr(0, at), at == text.npos ? "" : text.substr(at + 1)};
}

std::string kind_of(const std::string& word) {
  return word == "mutating" ? mutating : word == "validating" ? validating : word;
}

Json& entries_in(Objects& objects, const char* kind = mutating) {
  return object_of(objects, kind)["webhooks"];
}

// Returns the parts of the objects that `word`, the first word of a path, names.
std::vector<Json*> places(Objects& objects, const std::string& word) {
  std::vector<Json*> out;
  const auto add = [&](const char* kind, const std::function<bool(const Json&)>& is_one) {
    for (Json& each : entries_in(objects, kind))
      if (is_one(each)) out.push_back(&each);
  };
  const auto any = [](const Json&) { return true; };
  if (word == "every" || word == "both") add(mutating, any);
  if (word == "checked" || word == "both") add(validating, any);
  if (word == "enforced")
    add(mutating, [](const Json& each) { return each["failurePolicy"] == "Fail"; });
  if (word == "spec") out.push_back(&template_of(objects)["spec"]);
  if (word == "program") out.push_back(&template_of(objects)["spec"]["containers"][0]);
  for (Json& each : objects) {
    if (each["kind"] != "Pod") continue;
    if (word == "Pod") out.push_back(&each);
    if (word == "program") out.push_back(&each["spec"]["containers"][0]);
  }
  const auto is_named = [&](const Json& each) {
    return each["name"].get_ref<const std::string&>().starts_with(word + ".");
  };
  for (const char* kind : {mutating, validating})
    if (out.empty()) add(kind, is_named);
  const auto [kind, name] = cut(word, ' ');
  if (out.empty()) out.push_back(&object_of(objects, kind_of(kind), name));
  return out;
}

// Sets the field at `path` below `at` to `value`, or removes it if `value` is "gone".
void edit(Json& at, const std::string& path, const Json& value) {
  const auto [key, below] = cut(path, '/');
  const Json::json_pointer step("/" + key);
  if (key == "*")
    for (Json& each : at) edit(each, below, value);
  else if (!below.empty())
    edit(at[step], below, value);
  else if (value != "gone")
    at[step] = value;
  else if (at.is_array())
    at.erase(std::stoul(key));
  else
    at.erase(step.back());
}

// Removes the object, and adds another one, so that the input still has an object of this kind.
void remove(Objects& objects, const std::string& kind, const std::string& name) {
  std::erase_if(objects, [&](const Json& each) {
    return each["kind"] == kind && each["metadata"]["name"] == name;
  });
  objects.push_back({{"kind", kind},
                     {"metadata", {{"name", "another"}, {"namespace", "ml"}}},
                     {"spec",
                      {{"selector", {{"matchLabels", {{"a", "b"}}}}},
                       {"podSelector", {{"matchLabels", {{"a", "b"}}}}}}}});
}

void edit_settings(Objects& objects, const Json& replaced) {
  Json& file = object_of(objects, "Secret", "tpu-webhook-config")["data"]["config.json"];
  std::string text = *text::decode_base64(file.get<std::string>());
  for (const auto& [from, to] : replaced.items()) replace_text(text, from, to.get<std::string>());
  file = text::encode_base64(text);
}

// Makes one edit of a row of alterations.yaml. `what` is the key of the edit, and `value` is its
// value.
void apply(Objects& objects, const std::string& what, const Json& value) {
  const auto [word, path] = cut(what, '/');
  const auto [kind, name] = cut(word, ' ');
  if (!path.empty()) {
    for (Json* each : places(objects, word)) edit(*each, path, value);
  } else if (what == "with") {
    choices.at(value)(objects);
  } else if (what == "new") {
    objects.push_back(value);
  } else if (what == "neighbour") {
    objects.push_back(configuration_of(value));
    objects.back()["kind"] = mutating;
  } else if (what == "settings") {
    edit_settings(objects, value);
  } else if (kind == "copy") {
    Json other = object_of(objects, kind_of(name));
    other["metadata"]["name"] = value;
    objects.push_back(other);
  } else {
    ASSERT_EQ(value, "gone") << what;
    remove(objects, kind_of(kind), name.empty() ? "tpu-webhook" : name);
  }
}

// Reads a row of alterations.yaml. The last key of the row has the expected verdict and check, and
// its value is a part of the expected text. The other keys are edits.
Alteration row_of(Json row) {
  static const std::map<std::string, Verdict> verdicts = {{"OK", Verdict::ok},
                                                          {"WARN", Verdict::warn},
                                                          {"FAIL", Verdict::fail},
                                                          {"UNKNOWN", Verdict::unknown}};
  const auto [said, what] = row.get_ref<Json::object_t&>().back();
  row.erase(said);
  const auto [verdict, about] = cut(said, ' ');
  const auto [check, alone] = cut(about, ' ');
  Alteration out;
  out.verdict = verdicts.at(verdict);
  out.check = check;
  out.what = what;
  out.is_alone = alone == "alone";
  out.is_of_settings = row.contains("settings");
  for (const char each : row.dump().substr(2)) out.name += std::isalnum(each) ? each : '_';
  if (row.contains("with")) out.chosen = choices.at(row["with"]);
  out.alter = [row](Objects& objects) {
    for (const auto& [each, value] : row.items()) apply(objects, each, value);
  };
  return out;
}

// ---- alterations that need code, because the edits of alterations.yaml cannot make them

std::string another_ca() {
  const std::string names[] = {"else.where.svc"};
  return test::issue(names, test_time).ca;
}

void bundle_of_another(Objects& objects) {
  const auto ca = text::encode_base64(another_ca());
  for (Json& each : entries_in(objects)) each["clientConfig"]["caBundle"] = ca;
}

void second_bundle(Objects& objects) {
  const std::string more = another_ca();
  for (Json* each : places(objects, "both")) {
    Json& bundle = (*each)["clientConfig"]["caBundle"];
    bundle = text::encode_base64(*text::decode_base64(bundle.get<std::string>()) + more);
  }
}

void stranger(Objects& objects) {
  Json& entries = entries_in(objects);
  Json entry = configuration_of("x")["webhooks"][0];
  entry["clientConfig"]["caBundle"] = entries[0]["clientConfig"]["caBundle"];
  entries.push_back(entry);
}

void another_prefix(Objects& objects) {
  Json& condition = entry_of(object_of(objects, mutating), "pods.tpu-webhook.dev");
  Json& expression = condition["matchConditions"][0]["expression"];
  replace_text(expression.get_ref<std::string&>(), "'tpu-webhook.dev/'", "'example.dev/'");
}

const All others = {
    {"another_prefix_of_annotations", another_prefix, Verdict::warn, "configuration",
     "matchConditions.expression"},
    {"shadow_alone",
     [](Objects& objects) { entries_in(objects) = Json::array({entries_in(objects)[7]}); },
     Verdict::fail, "configuration", "has only entries of shadow namespaces"},
    {"an_entry_twice",
     [](Objects& objects) { entries_in(objects).push_back(entries_in(objects)[1]); }, Verdict::warn,
     "configuration", "duplicate: Pods are sent twice"},
    {"a_stranger", stranger, Verdict::warn, "configuration", "this program renders no such entry"},
    {"another_order",
     [](Objects& objects) { std::swap(entries_in(objects)[0], entries_in(objects)[3]); },
     Verdict::ok, "configuration", "in another order, which changes nothing"},
    {"bundles_of_another", bundle_of_another, Verdict::fail, "trust", "does not trust"},
    {"bundles_with_a_second", second_bundle, Verdict::ok, "ca-bundle", "the last of 2"},
};

const All& alterations() {
  static const All all = [] {
    const auto text = text::read_file(TPUWH_TESTS "/unit/kubectl/inspect/doctor/alterations.yaml",
                                      text::max_small_bytes);
    const Json rows = text::parse_yaml(*text).value().front();
    All out = others;
    for (const Json& row : rows) out.push_back(row_of(row));
    return out;
  }();
  return all;
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
  add_replicas(objects);
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

// Returns the checks of the altered installation. Each installation is examined once for all tests.
const Checks& checks_of(const Alteration& by) {
  static std::map<std::string, Checks> known;
  Checks& out = known[by.name];
  if (out.empty()) out = examine(live_view(altered(by)));
  return out;
}

class AlterationTest : public testing::TestWithParam<Alteration> {};

TEST_P(AlterationTest, is_told_from_the_sound_installation) {
  const Alteration& by = GetParam();
  const Checks& checks = checks_of(by);
  EXPECT_NE(checks_text(checks, false).text(), sound_answer());
  expect_said(checks, by.verdict, by.check, by.what, by.is_alone);
  if (by.verdict == Verdict::ok) {
    for (const Check& each : checks) EXPECT_EQ(each.verdict, Verdict::ok) << each.what;
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
    if (each.name == "jobset" || each.name == "gangs" || each.name == "driver" ||
        each.name == "probe")
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
  for (const Alteration& each : alterations()) {
    if (of_secrets.contains(each.check) || each.is_of_settings) continue;
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
  managed(before);
  monitored(before);
  Objects with_quota = sound();
  critical(with_quota);
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
