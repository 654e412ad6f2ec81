// Controllers that are described by a row alone. No API that is known has such a row: they are made
// up here, and in tests/recipe. Their Pods say that a StatefulSet or a Job owns them, so that
// decide() knows them.
#include "webhook/validate/plain.hpp"

#include "tests/support/named_case.hpp"
#include "tests/support/validated.hpp"
#include "webhook/answer/workspace.hpp"
#include "webhook/read/body.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::webhook::validate {
namespace {

using namespace test;
using test::PrintTo;
using workloads::ObjectKind;
using workloads::PlainMaker;
using workloads::Written;
using namespace std::string_literals;

constexpr std::array by_ordinal = {Written{"apps.kubernetes.io/pod-index", "{index}"}};
constexpr std::array by_completion = {
    Written{"batch.kubernetes.io/job-completion-index", "{index}"}};

// Hosts are numbered through all slices.
constexpr PlainMaker rack_maker{
    .count = "pods", .pod_template = "pod", .service = "network", .labels = by_ordinal};
// An index is that of a host.
constexpr PlainMaker run_maker{
    .count = "pods", .pod_template = "pod", .service = "network", .annotations = by_completion};
constexpr PlainMaker shelf_maker{.parts = "shelves",
                                 .part_name = "title",
                                 .count = "pods",
                                 .pod_template = "pod",
                                 .service = "network",
                                 .labels = by_ordinal};

// What came of an object, and the Pod that was decided on last.
struct Looked {
  bool read = false;
  std::string error;
  std::vector<std::string> faults, warnings;
  std::string description;  // of that Pod's place
  std::string patch;        // which names its hosts

  bool names(std::string_view hosts) const { return patch.find(hosts) != std::string::npos; }
};

Looked look_at(std::string_view kind, const PlainMaker& maker, const std::string& spec) {
  const ObjectKind row{.group = "example.com",
                       .versions = {"v1"},
                       .kind = kind,
                       .resource = "things",
                       .maker = &maker};
  std::string text = R"({"metadata":{"name":"r"},"spec":)" + spec + "}";
  answer::Workspace workspace;
  answer::Workspace::Impl& work = workspace.impl();
  work.begin();
  const config::Config config;
  const read::NoCluster cluster;
  WorkloadObject object;
  EXPECT_TRUE(work.reader.start(read::Body(text).bytes()) && read_object(work.reader, object));
  Findings findings(config, "ns");
  Checker checker(object, config, cluster, work, findings);
  Looked out;
  out.read = check_plain(checker, object.spec, row);
  if (out.read) checker.finish();
  out.error = work.reader.failed() ? work.reader.error().text() : "";
  for (const auto* each : findings.faults().in_order()) out.faults.push_back(each->sentence);
  for (const auto* each : findings.warnings().in_order()) out.warnings.push_back(each->sentence);
  out.description = work.told.description.view();
  out.patch = work.told.patch.finish();
  return out;
}

json of_pods(const json& count, const json& pod = a_template("4x4", 4)) {
  json spec{{"network", "n"}, {"pod", pod}};
  if (!count.is_null()) spec["pods"] = count;
  return spec;
}

struct CountCase {
  const char* name;
  std::string_view kind;
  const PlainMaker* maker;
  json count;
  const char* want;  // "" for silence
};

const char* const wrong_multiple =
    ", but 4x4 with 4 chips per Pod has 4 hosts (16 / 4): expected a multiple of it, or the last "
    "slice waits forever";
const char* const wrong_hosts = ", but 4x4 with 4 chips per Pod has 4 hosts (16 / 4): expected 4";

class PlainCount : public testing::TestWithParam<CountCase> {};

TEST_P(PlainCount, is_held_against_the_hosts) {
  const CountCase& the = GetParam();
  const Looked looked = look_at(the.kind, *the.maker, of_pods(the.count).dump());
  EXPECT_TRUE(looked.read) << looked.error;
  EXPECT_EQ(looked.faults, std::vector<std::string>{});
  if (*the.want == '\0') {
    EXPECT_EQ(looked.warnings, std::vector<std::string>{});
    return;
  }
  const std::string count =
      the.count.is_null() ? "pods is missing, which means 1" : "pods is " + the.count.dump();
  EXPECT_EQ(looked.warnings, std::vector{count + the.want});
}

INSTANTIATE_TEST_SUITE_P(
    Validate, PlainCount,
    testing::Values(CountCase{"slice_of_a_rack", "StatefulSet", &rack_maker, 4, ""},
                    CountCase{"slices_of_a_rack", "StatefulSet", &rack_maker, 8, ""},
                    CountCase{"few_of_a_rack", "StatefulSet", &rack_maker, 3, wrong_multiple},
                    CountCase{"many_of_a_rack", "StatefulSet", &rack_maker, 5, wrong_multiple},
                    CountCase{"one_of_a_rack", "StatefulSet", &rack_maker, nullptr, wrong_multiple},
                    CountCase{"slice_of_a_run", "Job", &run_maker, 4, ""},
                    CountCase{"slices_of_a_run", "Job", &run_maker, 8, wrong_hosts},
                    CountCase{"few_of_a_run", "Job", &run_maker, 3, wrong_hosts},
                    CountCase{"one_of_a_run", "Job", &run_maker, nullptr, wrong_hosts}),
    case_name);

TEST(Plain, slices_that_are_numbered_through_share_a_pool) {
  json pinned = a_template("4x4", 4);
  pinned["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] = "p";
  EXPECT_EQ(look_at("StatefulSet", rack_maker, of_pods(4, pinned).dump()).warnings,
            std::vector<std::string>{});
  EXPECT_EQ(look_at("StatefulSet", rack_maker, of_pods(8, pinned).dump()).warnings,
            std::vector{"2 slices select node pool p, but a node pool of several hosts is one "
                        "slice: the others never form"s});
}

TEST(Plain, of_single_hosts_may_be_any_number) {
  const Looked looked = look_at("StatefulSet", rack_maker, of_pods(3, a_template("2x2", 4)).dump());
  EXPECT_EQ(looked.faults, std::vector<std::string>{});
  EXPECT_EQ(looked.warnings, std::vector<std::string>{});
}

TEST(Plain, is_decided_by_its_first_pod) {
  const Looked looked = look_at("StatefulSet", rack_maker, of_pods(4).dump());
  EXPECT_TRUE(looked.description.starts_with("host 0 of 4, slice 0, StatefulSet r:"))
      << looked.description;
  EXPECT_TRUE(looked.names("\"r-0.n,r-1.n,r-2.n,r-3.n\"")) << looked.patch;
}

TEST(Plain, may_make_its_services_name) {
  PlainMaker maker = rack_maker;
  maker.subdomain = "{name}-net";
  const auto look = [&] { return look_at("StatefulSet", maker, of_pods(4).dump()); };
  EXPECT_TRUE(look().names("r-0.r-net,")) << look().patch;
  maker.service = {};
  EXPECT_TRUE(look().names("r-0.r-net,")) << look().patch;
  maker.subdomain = {};
  EXPECT_FALSE(look().names("r-0.")) << look().patch;
}

TEST(Plain, names_the_part_that_is_wrong) {
  json spec{{"network", "n"}};
  for (const auto& [title, count] : {std::pair{"a", 4}, {"b", 3}}) {
    json part = of_pods(count);
    part["title"] = title;
    part["network"] = "of nobody";
    spec["shelves"].push_back(part);
  }
  const Looked looked = look_at("StatefulSet", shelf_maker, spec.dump());
  EXPECT_TRUE(looked.read) << looked.error;
  EXPECT_EQ(looked.warnings, std::vector{std::string("part b: pods is 3") + wrong_multiple});
  EXPECT_TRUE(looked.names("r-0.n,")) << looked.patch;
  PlainMaker maker = shelf_maker;
  maker.subdomain = "{name}-{part}";
  const Looked of_its_own = look_at("StatefulSet", maker, spec.dump());
  EXPECT_TRUE(of_its_own.names("r-0.r-b,")) << of_its_own.patch;
}

// What a Pod is refused for its template is refused for: 3x3 has no hosts of 4 chips.
TEST(Plain, is_refused_for_what_its_pods_are_refused_for) {
  const Looked looked = look_at("StatefulSet", rack_maker, of_pods(4, a_template("3x3", 4)).dump());
  ASSERT_EQ(looked.faults.size(), 1u);
  EXPECT_TRUE(looked.faults[0].starts_with("topology 3x3 is 9 chips")) << looked.faults[0];
}

TEST(Plain, without_a_template_has_nothing_to_check) {
  for (const char* spec : {"{}", R"({"pods":3})", R"({"pods":3,"pod":null})"}) {
    const Looked looked = look_at("StatefulSet", rack_maker, spec);
    EXPECT_TRUE(looked.read) << spec;
    EXPECT_EQ(looked.faults, std::vector<std::string>{}) << spec;
  }
}

TEST(Plain, that_cannot_be_read_says_where) {
  const std::string pod = a_template("4x4", 4).dump();
  for (const auto& [spec, error] :
       {std::pair{R"({"pods":1,"pods":2})"s, "duplicate key"},
        {R"({"pod":)" + pod + R"(,"pod":)" + pod + "}", "duplicate key"},
        {R"({"network":"a","network":"b"})", "duplicate key"},
        {R"({"pods":"4"})", "pods"},
        {R"({"pod":5,"pods":4})", "template: expected an object, got a number"}}) {
    const Looked looked = look_at("StatefulSet", rack_maker, spec);
    EXPECT_FALSE(looked.read) << spec;
    EXPECT_TRUE(has(looked.error, error)) << spec << ": " << looked.error;
  }
  for (const auto& [spec, error] :
       {std::pair{R"({"shelves":[{"title":"a","title":"b"}]})"s, "duplicate key"},
        {R"({"network":"a","network":"b"})", "duplicate key"},
        {R"({"shelves":[5]})", "shelves"}}) {
    const Looked looked = look_at("StatefulSet", shelf_maker, spec);
    EXPECT_FALSE(looked.read) << spec;
    EXPECT_TRUE(has(looked.error, error)) << spec << ": " << looked.error;
  }
}

}  // namespace
}  // namespace tpuwh::webhook::validate
