#include "kubectl/predict/explain/text.hpp"

#include "tests/unit/kubectl/predict/explain/written.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tpuwh::server::explain {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(TheText, of_two_hundred_slices_is_a_screen) {
  const auto explanation = explained(jobset(200));
  const std::string folded = text(explanation, {}).text();
  EXPECT_LE(lines(folded), 60u);
  EXPECT_THAT(folded, HasSubstr("195 more"));
  EXPECT_GT(lines(text(explanation, {.all = true}).text()), 1000u);
}

TEST(TheText, of_many_objects_begins_with_the_worst) {
  std::string yaml =
      Written{.name = "good"}.text() + "---\n" +
      Written{.name = "bad", .selector = "cloud.google.com/gke-tpu-topology: 3x3"}.text();
  for (int i = 0; i < 40; ++i) yaml += "---\n" + Written{.name = fmt::format("n{}", i)}.text();
  const std::string said = text(explained(yaml), {}).text();
  EXPECT_THAT(said, testing::StartsWith("✗ Job default/bad"));
  EXPECT_LE(lines(said), 60u);
  EXPECT_THAT(said, HasSubstr("42 objects: 1 refused"));
}

TEST(TheText, has_colours_only_where_they_are_wanted) {
  const auto explanation = explained(jobset(1));
  EXPECT_THAT(text(explanation, {}).text(), Not(HasSubstr("\033")));
  EXPECT_THAT(text(explanation, {.colour = true}).text(), HasSubstr("\033[32m✓"));
}

}  // namespace
}  // namespace tpuwh::server::explain
