#include "kubectl/print/line_diff.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace tpuwh::server::print {
namespace {

using Lines = std::vector<std::string_view>;

std::string text_of(const std::vector<DiffLine>& lines, std::string_view signs) {
  std::string out;
  for (const DiffLine& each : lines)
    if (signs.find(each.sign) != std::string_view::npos) out.append(each.text).append("\n");
  return out;
}

std::string joined(const Lines& lines) {
  std::string out;
  for (const std::string_view each : lines) out.append(each).append("\n");
  return out;
}

// Both texts are in it; how many lines differ.
std::size_t differences(const Lines& before, const Lines& after) {
  const auto lines = diff_lines(before, after);
  EXPECT_EQ(text_of(lines, " -"), joined(before));
  EXPECT_EQ(text_of(lines, " +"), joined(after));
  return lines.size() - static_cast<std::size_t>(std::ranges::count(lines, ' ', &DiffLine::sign));
}

TEST(ALineDiff, holds_both_texts) {
  EXPECT_EQ(differences({}, {}), 0u);
  EXPECT_EQ(differences({"a"}, {}), 1u);
  EXPECT_EQ(differences({}, {"a"}), 1u);
  EXPECT_EQ(differences({"a", "b", "c"}, {"a", "x", "c"}), 2u);
  EXPECT_EQ(differences({"a", "b", "c", "a", "b", "b", "a"}, {"c", "b", "a", "b", "a", "c"}), 5u);
  std::mt19937 random(7);
  const Lines words = {"a", "b", "c"};
  for (int i = 0; i < 300; ++i) {
    Lines before(random() % 9), after(random() % 9);
    for (auto* each : {&before, &after})
      for (auto& line : *each) line = words[random() % words.size()];
    differences(before, after);
  }
}

// Each edit copied the whole front: 89 lines into 400,000 took 1.3 GB.
TEST(ALineDiff, of_long_texts_costs_what_differs) {
  std::vector<std::string> text(200'000);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = fmt::format("- {}", i);
  const Lines before(text.begin(), text.end());
  Lines after;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i % 20 == 0) after.push_back("+");
    after.push_back(before[i]);
  }
  EXPECT_EQ(differences(before, after), 10'000u);
  const Lines others(before.size() / 10, "x");
  EXPECT_EQ(differences(Lines(before.begin(), before.begin() + 20'000), others), 40'000u);
}

}  // namespace
}  // namespace tpuwh::server::print
