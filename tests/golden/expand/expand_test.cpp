// Each Pod that kubectl/predict/expand makes of a manifest is the one that the real controller
// made of it: all of metadata and spec, of every review of tests/golden/recorded.
//
// A Pod that comes in several reviews is compared with each of them:
//   refused     a follower of a JobSet whose leader is not bound yet, then again with the selector
//               of the leader's node pool: the first is what is expanded, the second differs in it
//   -first      our configuration ran before the controller's webhook: the first review shows the
//               Pod without what that webhook writes, the second with all of it and with our
//               patch, which is taken out by its record
//   made again  after a failure or a deletion: the same Pod, of another Job, uid or replica name
#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/predict/wrappers/open.hpp"
#include "kubectl/text/yaml.hpp"
#include "tests/golden/expand/api_server.hpp"
#include "tests/golden/expand/compare.hpp"
#include "tests/golden/golden_case.hpp"
#include "tests/golden/recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tpuwh::test {
namespace {

namespace fs = std::filesystem;

struct Story {
  const char* name;
  const char* manifest;
  const char* api;
  bool indices = false;     // KubeRay ran with RayMultiHostIndexing
  bool made_again = false;  // objects come again under another uid or suffix
  std::vector<Named> named = {};
};

constexpr Named last_applied = {
    Kind::only_recorded,
    "metadata > annotations > kubectl.kubernetes.io/last-applied-configuration",
    "kubectl apply writes it"};
constexpr Named nodes_pool = {Kind::only_recorded,
                              "spec > nodeSelector > cloud.google.com/gke-nodepool",
                              "the pool of the leader's node, once it is bound"};
constexpr Named pod_set = {Kind::only_recorded, "metadata > labels > kueue.x-k8s.io/podset",
                           "Kueue, at admission"};
constexpr Named queues = {Kind::only_recorded, "metadata > labels > kueue.x-k8s.io/*-queue-name",
                          "Kueue, at admission, since 0.17"};
constexpr Named workload = {Kind::only_recorded, "metadata > annotations > kueue.x-k8s.io/workload",
                            "Kueue, at admission"};

constexpr Named not_yet(const char* path) {
  return {Kind::only_expanded, path, "the controller's own webhook has not run", When::before};
}

const std::vector<Story>& stories() {
  static const std::vector<Story> all = {
      {.name = "pod-single-host",
       .manifest = "pod-single-host",
       .api = "Pod",
       .named = {last_applied}},
      {.name = "pod-dry-run", .manifest = "pod-single-host", .api = "Pod", .named = {last_applied}},
      {.name = "job-2x4", .manifest = "job-2x4", .api = "Job"},
      {.name = "job-single-host-8", .manifest = "job-single-host-8", .api = "Job"},
      {.name = "job-tpu7x-two-containers", .manifest = "job-tpu7x-two-containers", .api = "Job"},
      {.name = "job-priority", .manifest = "job-priority", .api = "Job"},
      {.name = "job-kueue",
       .manifest = "job-kueue",
       .api = "Job",
       .named = {pod_set,
                 queues,
                 workload,
                 {Kind::only_recorded, "spec > nodeSelector > cloud.google.com/gke-tpu-*",
                  "a label of Kueue's ResourceFlavor"}}},
      {.name = "jobset-multislice",
       .manifest = "jobset-multislice",
       .api = "JobSet",
       .named = {nodes_pool}},
      {.name = "jobset-multislice-kueue",
       .manifest = "jobset-multislice",
       .api = "JobSet",
       .named = {nodes_pool, pod_set, queues, workload}},
      {.name = "jobset-multislice-first",
       .manifest = "jobset-multislice",
       .api = "JobSet",
       .named = {nodes_pool, not_yet("metadata > labels > jobset.sigs.k8s.io/priority"),
                 not_yet("spec > affinity > *")}},
      {.name = "jobset-multislice-restart",
       .manifest = "jobset-multislice",
       .api = "JobSet",
       .made_again = true,
       .named = {nodes_pool,
                 {Kind::another_value, "metadata > * > jobset.sigs.k8s.io/restart-attempt",
                  "the second attempt"}}},
      {.name = "raycluster", .manifest = "raycluster", .api = "RayCluster"},
      {.name = "raycluster-indexed",
       .manifest = "raycluster",
       .api = "RayCluster",
       .indices = true},
      {.name = "raycluster-replaced",
       .manifest = "raycluster",
       .api = "RayCluster",
       .indices = true,
       .made_again = true},
      {.name = "rayjob", .manifest = "rayjob", .api = "RayJob", .indices = true},
      {.name = "lws", .manifest = "lws", .api = "LeaderWorkerSet"},
      {.name = "lws-exclusive",
       .manifest = "lws-exclusive",
       .api = "LeaderWorkerSet",
       .named = {nodes_pool}},
      {.name = "lws-first",
       .manifest = "lws",
       .api = "LeaderWorkerSet",
       .named = {not_yet("metadata > labels > leaderworkerset.sigs.k8s.io/worker-index"),
                 not_yet("metadata > labels > leaderworkerset.sigs.k8s.io/group-index"),
                 not_yet("metadata > labels > leaderworkerset.sigs.k8s.io/group-key"),
                 not_yet("spec > containers > [vllm-*] > env > [LWS_*]"),
                 {Kind::only_expanded, "spec > containers > [vllm-*] > env > [TPU_*]",
                  "its webhook has not run, or it has met ours, and sets none"}}},
      {.name = "disaggregatedset",
       .manifest = "disaggregatedset",
       .api = "DisaggregatedSet",
       .named = {{Kind::another_value, "metadata > labels > leaderworkerset.sigs.k8s.io/group-key",
                  "made of a name, of which the revision is a part"}}},
      {.name = "trainjob", .manifest = "trainjob", .api = "TrainJob"},
      {.name = "appwrapper",
       .manifest = "appwrapper",
       .api = "AppWrapper",
       .named = {{Kind::only_recorded, "metadata > labels > workload.codeflare.dev/appwrapper",
                  "AppWrapper marks what it makes"}}},
      {.name = "statefulset", .manifest = "statefulset", .api = "StatefulSet"},
      {.name = "statefulset-again", .manifest = "statefulset", .api = "StatefulSet"},
      {.name = "deployment", .manifest = "deployment", .api = "Deployment"},
  };
  return all;
}

const Named* name_of(const Difference& difference, const std::vector<Named>& named, When when) {
  const auto found = std::ranges::find_if(named, [&](const Named& one) {
    return one.kind == difference.kind && matches(difference.path, one.path) &&
           (one.when == When::any || one.when == when);
  });
  return found == named.end() ? nullptr : &*found;
}

// Where a Pod belongs: its name, or what it is generated of, and its place in a replica.
std::string place_of(const Json& pod) {
  const Json& metadata = pod["metadata"];
  const Json& labels = member(metadata, "labels");
  std::string out;
  for (const Json* part : {&member(metadata, "name"), &member(metadata, "generateName"),
                           &member(labels, "ray.io/worker-group-replica-index"),
                           &member(labels, "ray.io/replica-host-index")})
    out += (part->is_string() ? Placeholders::masked(part->get<std::string>()) : "") + '|';
  return out;
}

// What stands in wrappers or is made of them, in their place.
std::vector<Json> opened(const std::vector<Json>& documents) {
  std::vector<server::source::Manifest> manifests;
  for (const Json& document : documents) manifests.push_back({.file = "", .object = document});
  std::vector<Json> out;
  for (const auto& each : server::wrappers::open(manifests, {}, "default").objects)
    out.push_back(each.object);
  return out;
}

using Places = std::map<std::string, std::vector<Json>>;

Places expanded_of(const Story& story) {
  const std::string manifest =
      read_text(fs::path(TPUWH_MANIFESTS) / (std::string(story.manifest) + ".yaml"));
  const auto documents = server::text::parse_yaml(manifest);
  Places out;
  if (!documents) return out;
  server::expand::ExpandOptions options;
  options.ray_indices = story.indices;
  for (const Json& document : opened(*documents)) {
    if (!server::expand::makes_pods(document)) continue;
    std::size_t count = 0;
    const auto done = server::expand::for_each_pod(document, options, [&](const Json& pod) {
      Json sent = pod;
      add_defaults(sent, *documents);
      out[place_of(sent)].push_back(std::move(sent));
      return ++count > 0;
    });
    EXPECT_TRUE(done) << done.error().text();
    EXPECT_EQ(server::expand::pod_count(document), count);
  }
  return out;
}

struct Row {
  std::size_t pods = 0, reviews = 0, fields = 0, named = 0, differences = 0;
};

void print(const Story& story, const Row& row) {
  std::printf(
      "%-16s %-26s %3zu Pods, %3zu reviews, %6zu fields, %3zu named differences, %zu others\n",
      story.api, story.name, row.pods, row.reviews, row.fields, row.named, row.differences);
}

class Expanded : public ::testing::Test {
 public:
  explicit Expanded(const Story& story) : story_(story) {}

  void TestBody() override {
    Places places = expanded_of(story_);
    for (const auto& [place, pods] : places) row_.pods += pods.size();
    ASSERT_GT(row_.pods, 0u);
    Placeholders placeholders(story_.made_again);
    std::map<std::string, std::size_t> met;
    for (const std::string& line :
         lines_of(fs::path(TPUWH_GOLDEN) / "recorded" / story_.name / "reviews.jsonl")) {
      Json pod = Json::parse(line)["request"]["object"];
      take_out_noise(pod);
      const When when = take_out_ours(pod) ? When::after : When::before;
      const std::string place = place_of(pod);
      ASSERT_TRUE(places.contains(place)) << "not expanded: " << place;
      const std::vector<Json>& candidates = places[place];
      compare_with(candidates[met[place]++ % candidates.size()], pod, when, placeholders);
    }
    for (const auto& [place, pods] : places)
      EXPECT_GE(met[place], pods.size()) << "not recorded: " << place;
    for (const Named& named : story_.named)
      EXPECT_TRUE(seen_.contains(named.path)) << "no such difference any more: " << named.path;
    print(story_, row_);
  }

 private:
  void compare_with(const Json& expanded, const Json& recorded, When when,
                    Placeholders& placeholders) {
    ++row_.reviews;
    const Compared compared = compare(expanded, recorded, placeholders);
    row_.fields += compared.fields;
    for (const Difference& difference : compared.differences) {
      const Named* named = name_of(difference, story_.named, when);
      if (named != nullptr) {
        ++row_.named;
        seen_.insert(named->path);
        continue;
      }
      ++row_.differences;
      ADD_FAILURE() << place_of(recorded) << ' ' << difference.path << ": "
                    << (difference.kind == Kind::only_recorded   ? "only recorded "
                        : difference.kind == Kind::only_expanded ? "only expanded "
                                                                 : "another value ")
                    << difference.what;
    }
  }

  const Story& story_;
  Row row_;
  std::set<std::string> seen_;
};

// ---- of every manifest, spoiled

std::vector<Json> manifests() {
  std::vector<Json> out;
  for (const fs::path& file : files_in(TPUWH_MANIFESTS, ".yaml")) {
    const auto documents = server::text::parse_yaml(read_text(file));
    EXPECT_TRUE(documents) << file;
    if (!documents) continue;
    for (const Json& document : *documents)
      if (server::expand::makes_pods(document)) out.push_back(document);
  }
  return out;
}

void add_places(const Json& value, const Json::json_pointer& here,
                std::vector<Json::json_pointer>& out) {
  out.push_back(here);
  if (value.is_object())
    for (const auto& [key, member] : value.items()) add_places(member, here / key, out);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) add_places(value[i], here / i, out);
}

std::vector<Json::json_pointer> places_in(const Json& value) {
  std::vector<Json::json_pointer> out;
  add_places(value, Json::json_pointer(), out);
  return out;
}

TEST(AComparison, finds_each_value_that_is_another) {
  for (const Json& manifest : manifests()) {
    Json pod;
    ASSERT_TRUE(server::expand::for_each_pod(manifest, {}, [&](const Json& one) {
      pod = one;
      return false;
    }));
    for (const Json::json_pointer& place : places_in(pod)) {
      if (pod[place].is_structured()) continue;
      Json other = pod;
      other[place] = "another";
      Placeholders placeholders(false);
      EXPECT_FALSE(compare(pod, other, placeholders).differences.empty()) << place.to_string();
    }
  }
}

// A manifest is written by hand: any member may be anything.
TEST(ASpoiledManifest, is_expanded_or_refused) {
  const Json instead = Json::parse(
      R"([null, true, -1, 0, 7, 2147483648, 18446744073709551615, 1.5, 1e300, "", "x", "-1", [], [1],
          [{}], [[]], {}, {"x": 1}, {"name": 7}, {"x": null}])");
  std::size_t spoiled = 0, refused = 0;
  for (const Json& manifest : manifests()) {
    for (const Json::json_pointer& place : places_in(manifest)) {
      for (const Json& value : instead) {
        Json object = manifest;
        object[place] = value;
        std::uint64_t calls = 0;
        const std::uint64_t count = server::expand::pod_count(object);
        const auto done = server::expand::for_each_pod(
            object, {.ns = "default", .ray_indices = true}, [&](const Json& pod) {
              EXPECT_TRUE(pod["spec"].is_object());
              return ++calls < 20;
            });
        ++spoiled;
        refused += done ? 0 : 1;
        if (!done) continue;
        EXPECT_EQ(calls, std::min<std::uint64_t>(count, 20)) << place.to_string() << value.dump();
      }
    }
  }
  std::printf("%zu spoiled manifests, %zu refused\n", spoiled, refused);
  EXPECT_GT(refused, spoiled / 10);
}

TEST(Stories, are_all_compared) {
  std::set<std::string> told, recorded;
  for (const Story& story : stories()) told.insert(story.name);
  for (const fs::path& folder : find_recordings(fs::path(TPUWH_GOLDEN) / "recorded"))
    recorded.insert(folder.filename().string());
  EXPECT_EQ(told, recorded);
}

}  // namespace
}  // namespace tpuwh::test

int main(int argc, char** argv) {
  using namespace tpuwh::test;
  ::testing::InitGoogleTest(&argc, argv);
  for (const Story& story : stories())
    ::testing::RegisterTest("expanded", underscored(story.name).c_str(), nullptr, nullptr, __FILE__,
                            __LINE__,
                            [&story]() -> ::testing::Test* { return new Expanded(story); });
  return RUN_ALL_TESTS();
}
