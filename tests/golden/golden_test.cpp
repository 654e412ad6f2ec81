// golden_test            every case of this folder and every recording of recorded/; then
//                        every Pod of tests/support/workloads
// golden_test --reviews  prints the review of each case, one a line
// golden_test --update   makes patch and response of each case, and responses of each
//                        recording, say what is answered now; read the diff like code

#include "tests/golden/golden_case.hpp"
#include "tests/golden/properties.hpp"
#include "tests/golden/recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string_view>

namespace tpuwh::test {
namespace {

namespace fs = std::filesystem;

class Golden : public ::testing::Test {
 public:
  explicit Golden(GoldenCase golden) : golden_(std::move(golden)) {}

  void TestBody() override {
    const std::string review = review_of(golden_.folder);
    const Outcome want = wanted(golden_), got = outcome_of(review);
    EXPECT_NE(read_text(golden_.folder / "why.md"), "");
    EXPECT_EQ(want.broken, "") << "patch.json";
    ASSERT_EQ(got.broken, "");
    expect_same(want.patch, got.patch, "patch.json");
    expect_same(want.response, got.response, "response.json");
    expect_properties(review, got);
  }

 private:
  GoldenCase golden_;
};

// A file of reviews, one a line, of which nothing is wanted but the properties.
class Reviews : public ::testing::Test {
 public:
  explicit Reviews(fs::path file) : file_(std::move(file)) {}

  void TestBody() override {
    int line = 0;
    for (const std::string& review : lines_of(file_)) {
      SCOPED_TRACE(file_.string() + ":" + std::to_string(++line));
      const Outcome outcome = outcome_of(review);
      ASSERT_EQ(outcome.broken, "");
      expect_properties(review, outcome);
    }
  }

 private:
  fs::path file_;
};

// A recording, of which the answers are wanted, too.
class Recorded : public Reviews {
 public:
  explicit Recorded(fs::path folder)
      : Reviews(folder / "reviews.jsonl"), folder_(std::move(folder)) {}

  void TestBody() override {
    Reviews::TestBody();
    const auto reviews = lines_of(folder_ / "reviews.jsonl");
    const Json want = wanted_responses(folder_);
    const Responses got = responses_to(reviews);
    ASSERT_FALSE(reviews.empty()) << folder_;
    ASSERT_EQ(got.broken, "") << folder_;
    ASSERT_EQ(want.size(), reviews.size()) << folder_ / "responses.json";
    for (std::size_t i = 0; i < reviews.size(); ++i)
      expect_same(want[i], got.list[i], "responses.json, number " + std::to_string(i + 1));
    EXPECT_EQ(read_text(folder_ / "responses.json"), as_written(want)) << "--update writes it so";
  }

 private:
  fs::path folder_;
};

// ---- what a review alone does not show

Json object_with(const std::string& name, const webhook::config::Config& config,
                 const webhook::read::ClusterView& cluster = webhook::read::NoCluster()) {
  const std::string review = review_of(fs::path(TPUWH_GOLDEN) / name);
  const Reply reply = ask(review, config, cluster);
  EXPECT_EQ(reply.broken, "");
  return apply_patch(Json::parse(review)["request"]["object"], reply.patch).object;
}

// KubeRay up to 1.3 kept the last 50 characters of the Service's name.
TEST(RayService, is_truncated_on_request) {
  webhook::config::Config config;
  config.kuberay_truncates_service_name = true;
  const Json pod = object_with("ray/long_cluster_name", config);
  const std::string want = "r-whose-name-has-just-fifty-three-letters-headless";
  EXPECT_EQ(pod["spec"]["subdomain"], want);
}

struct OneService final : webhook::read::ClusterView {
  std::optional<std::string> ray_headless_service(std::string_view,
                                                  std::string_view) const override {
    return "found-in-the-cluster";
  }
};

TEST(RayService, of_the_cluster_is_taken_where_it_is_known) {
  const Json pod = object_with("ray/long_cluster_name", {}, OneService());
  EXPECT_EQ(pod["spec"]["subdomain"], "found-in-the-cluster");
}

// What torch_tpu's own launchers set, as KubeRay's webhook 1.4.0 does for Ray.
TEST(TorchTpu, is_injected_on_request) {
  webhook::config::Config config;
  config.torch_tpu = true;
  const Json pod = object_with("ray/indexed_worker", config);
  const Json without = object_with("ray/indexed_worker", {});
  Json env = pod["spec"]["containers"][0]["env"];
  const Json rest = without["spec"]["containers"][0]["env"];
  ASSERT_EQ(env.size(), rest.size() + 2);
  std::map<std::string, std::string> torch;
  for (const Json& entry : env)
    if (entry["name"].get<std::string>().starts_with("TORCH_"))
      torch[entry["name"]] = entry["value"];
  EXPECT_EQ(torch["TORCH_TPU_TOPOLOGY"], "4,4,1");
  const std::string addresses = torch["TORCH_TPU_SLICEBUILDER_ADDRESSES"];
  EXPECT_EQ(std::count(addresses.begin(), addresses.end(), ','), 15);
}

int update_recordings(const std::vector<fs::path>& recordings) {
  int failed = 0;
  for (const fs::path& recording : recordings) {
    const Responses responses = responses_to(lines_of(recording / "reviews.jsonl"));
    if (!responses.broken.empty()) {
      std::printf("%s: %s\n", recording.c_str(), responses.broken.c_str());
      failed = 1;
      continue;
    }
    if (rewrite_responses(recording, responses.list))
      std::printf("%s/responses.json\n", recording.c_str());
  }
  return failed;
}

int update_cases(const std::vector<GoldenCase>& cases) {
  int failed = 0;
  for (const GoldenCase& golden : cases) {
    const Outcome outcome = outcome_of(review_of(golden.folder));
    if (!outcome.broken.empty()) {
      std::printf("%s: %s\n", golden.folder.c_str(), outcome.broken.c_str());
      failed = 1;
      continue;
    }
    for (const std::string& file : rewrite(golden, outcome)) std::printf("%s\n", file.c_str());
  }
  return failed;
}

template <class T>
void register_files(const char* suite, const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths)
    ::testing::RegisterTest(suite, underscored(path.stem().string()).c_str(), nullptr, nullptr,
                            path.c_str(), 1, [path]() -> ::testing::Test* { return new T(path); });
}

}  // namespace
}  // namespace tpuwh::test

int main(int argc, char** argv) {
  using namespace tpuwh::test;
  ::testing::InitGoogleTest(&argc, argv);
  const std::filesystem::path golden_folder = TPUWH_GOLDEN;
  const auto cases = find_cases(golden_folder);
  const auto recordings = find_recordings(golden_folder / "recorded");
  const std::string_view asked = argc > 1 ? argv[1] : "";
  if (asked == "--reviews") {
    for (const GoldenCase& golden : cases)
      std::printf("%s\n", Json::parse(review_of(golden.folder)).dump().c_str());
    return 0;
  }
  if (asked == "--update") return update_recordings(recordings) | update_cases(cases);
  for (const GoldenCase& golden : cases)
    ::testing::RegisterTest(golden.workload.c_str(), golden.name.c_str(), nullptr, nullptr,
                            golden.folder.c_str(), 1, [golden] { return new Golden(golden); });
  register_files<Recorded>("recorded", recordings);
  register_files<Reviews>("composed",
                          files_in(golden_folder.parent_path() / "support/workloads", ".jsonl"));
  return RUN_ALL_TESTS();
}
