// golden_test            every case of this folder; then every Pod of
//                        tests/support/workloads and tests/e2e/recorded
// golden_test --update   makes patch, object and response of each case say what is
//                        answered now; read the diff like code

#include "tests/golden/golden_case.hpp"
#include "tests/golden/properties.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace tpuwh::test {
namespace {

namespace fs = std::filesystem;

class Golden : public ::testing::Test {
 public:
  explicit Golden(GoldenCase golden) : golden_(std::move(golden)) {}

  void TestBody() override {
    const std::string review = read_text(golden_.folder / "review.json");
    const Outcome want = wanted(golden_), got = outcome_of(review);
    EXPECT_NE(read_text(golden_.folder / "why.md"), "");
    ASSERT_EQ(got.broken, "");
    expect_same(want.patch, got.patch, "patch.json");
    expect_same(want.object, got.object, "object.json");
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
    std::istringstream lines(read_text(file_));
    std::string review;
    for (int line = 1; std::getline(lines, review); ++line) {
      SCOPED_TRACE(file_.string() + ":" + std::to_string(line));
      const Outcome outcome = outcome_of(review);
      ASSERT_EQ(outcome.broken, "");
      expect_properties(review, outcome);
    }
  }

 private:
  fs::path file_;
};

// ---- what a review alone does not show

Json object_with(const std::string& name, const webhook::Config& config,
                 const webhook::ClusterView& cluster = webhook::NoCluster()) {
  const std::string review = read_text(fs::path(TPUWH_GOLDEN) / name / "review.json");
  const Reply reply = ask(review, config, cluster);
  EXPECT_EQ(reply.broken, "");
  return apply_patch(Json::parse(review)["request"]["object"], reply.patch).object;
}

// KubeRay up to 1.3 kept the last 50 characters of the Service's name.
TEST(RayService, is_truncated_on_request) {
  webhook::Config config;
  config.kuberay_truncates_service_name = true;
  const Json pod = object_with("ray/long_cluster_name", config);
  const std::string want = "r-whose-name-has-just-fifty-three-letters-headless";
  EXPECT_EQ(pod["spec"]["subdomain"], want);
}

struct OneService final : webhook::ClusterView {
  std::optional<std::string> ray_headless_service(std::string_view,
                                                  std::string_view) const override {
    return "found-in-the-cluster";
  }
};

TEST(RayService, of_the_cluster_is_taken_where_it_is_known) {
  const Json pod = object_with("ray/long_cluster_name", {}, OneService());
  EXPECT_EQ(pod["spec"]["subdomain"], "found-in-the-cluster");
}

int update(const std::vector<GoldenCase>& cases) {
  int failed = 0;
  for (const GoldenCase& golden : cases) {
    const Outcome outcome = outcome_of(read_text(golden.folder / "review.json"));
    if (!outcome.broken.empty()) {
      std::printf("%s: %s\n", golden.folder.c_str(), outcome.broken.c_str());
      failed = 1;
      continue;
    }
    for (const std::string& file : rewrite(golden, outcome)) std::printf("%s\n", file.c_str());
  }
  return failed;
}

void register_reviews(const char* suite, const fs::path& folder) {
  for (const fs::path& file : files_in(folder, ".jsonl"))
    ::testing::RegisterTest(suite, underscored(file.stem().string()).c_str(), nullptr, nullptr,
                            file.c_str(), 1, [file] { return new Reviews(file); });
}

}  // namespace
}  // namespace tpuwh::test

int main(int argc, char** argv) {
  using namespace tpuwh::test;
  ::testing::InitGoogleTest(&argc, argv);
  const auto cases = find_cases(TPUWH_GOLDEN);
  if (argc > 1 && std::string_view(argv[1]) == "--update") return update(cases);
  for (const GoldenCase& golden : cases)
    ::testing::RegisterTest(golden.workload.c_str(), golden.name.c_str(), nullptr, nullptr,
                            golden.folder.c_str(), 1, [golden] { return new Golden(golden); });
  const std::filesystem::path tests = std::filesystem::path(TPUWH_GOLDEN).parent_path();
  register_reviews("composed", tests / "support" / "workloads");
  register_reviews("recorded", tests / "e2e" / "recorded");
  return RUN_ALL_TESTS();
}
