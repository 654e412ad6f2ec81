#include "webhook/pools/node.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace tpuwh::webhook::pools {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Labels labels_of(const Pairs& pairs) {
  Labels out;
  for (const auto& [key, value] : pairs) out.add(key, value);
  return out;
}

// As GKE's: alike but for the name.
Pairs of_a_pool(const std::string& node) {
  Pairs out;
  for (int i = 0; i < 20; ++i) out.emplace_back("cloud.google.com/label-" + std::to_string(i), "x");
  out.emplace_back("kubernetes.io/hostname", node);
  out.emplace_back("topology.kubernetes.io/zone", "us-east5-b");
  return out;
}

void expect_found(const Labels& labels, const Pairs& pairs) {
  for (const auto& [key, value] : pairs) EXPECT_EQ(labels.find(key), value) << key;
  EXPECT_EQ(labels.find("none"), std::nullopt);
}

TEST(LabelsOfNodes, are_kept_once_for_a_pool) {
  Labels first = labels_of(of_a_pool("a")), second = labels_of(of_a_pool("b")),
         third = labels_of(of_a_pool("c"));
  second.share_with(first);  // makes what is common
  third.share_with(second);  // takes it
  first.share_with(third);
  for (const Labels* each : {&first, &second, &third}) EXPECT_TRUE(each->shares());
  expect_found(first, of_a_pool("a"));
  expect_found(second, of_a_pool("b"));
  expect_found(third, of_a_pool("c"));
  EXPECT_EQ(first.find("topology.kubernetes.io/zone")->data(),
            third.find("topology.kubernetes.io/zone")->data());
}

TEST(LabelsOfNodes, outlive_whom_they_were_shared_with) {
  Labels left = labels_of(of_a_pool("b"));
  {
    const Labels gone = labels_of(of_a_pool("a"));
    left.share_with(gone);
  }
  expect_found(left, of_a_pool("b"));
  left.add("later", "y");
  EXPECT_EQ(left.find("later"), "y");
}

TEST(LabelsOfNodes, that_differ_are_not_shared) {
  Labels one = labels_of({{"a", "1"}, {"b", "2"}});
  one.share_with(labels_of({{"a", "2"}, {"c", "2"}}));
  EXPECT_FALSE(one.shares());
  expect_found(one, {{"a", "1"}, {"b", "2"}});
}

// Finding out would take the square of them.
TEST(LabelsOfNodes, longer_than_any_nodes_are_not_shared) {
  Pairs many;
  for (int i = 0; i < 2000; ++i) many.emplace_back("key-" + std::to_string(i), "value");
  Labels one = labels_of(many);
  one.share_with(labels_of(many));
  EXPECT_FALSE(one.shares());
  Labels few = labels_of(of_a_pool("a"));
  few.share_with(labels_of(many));
  EXPECT_FALSE(few.shares());
}

// Nodes and their labels come in any order, and change: what is found is what was found.
TEST(LabelsOfNodes, are_found_as_before) {
  std::mt19937 random(7);  // NOLINT
  const auto draw = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  std::vector<Labels> nodes;
  std::vector<Pairs> wanted;
  int shared = 0;
  for (int round = 0; round < 5000; ++round) {
    Pairs pairs;
    for (int i = 0; i < 12; ++i)
      if (draw(8) > 0)
        pairs.emplace_back(std::string(1, static_cast<char>('a' + i)),
                           std::to_string(draw(10) == 0 ? draw(3) : 0));
    if (draw(4) == 0) std::ranges::shuffle(pairs, random);
    Labels labels = labels_of(pairs);
    if (!nodes.empty())
      labels.share_with(nodes[static_cast<std::size_t>(draw(static_cast<int>(nodes.size())))]);
    shared += labels.shares() ? 1 : 0;
    const auto at = static_cast<std::size_t>(draw(40));
    if (at >= nodes.size()) {
      nodes.push_back(std::move(labels));
      wanted.push_back(std::move(pairs));
    } else {
      nodes[at] = std::move(labels);
      wanted[at] = std::move(pairs);
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    expect_found(nodes[i], wanted[i]);
    for (char key = 'a'; key < 'a' + 12; ++key)
      EXPECT_EQ(nodes[i].find(std::string(1, key)).has_value(),
                std::ranges::any_of(wanted[i], [&](const auto& each) {
                  return each.first == std::string(1, key);
                }));
  }
  EXPECT_GT(shared, 1000);
}

}  // namespace
}  // namespace tpuwh::webhook::pools
