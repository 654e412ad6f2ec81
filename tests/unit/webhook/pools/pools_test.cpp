#include "webhook/pools/pools.hpp"

#include <gtest/gtest.h>

#include <time.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace tpuwh::webhook::pools {
namespace {

using read::key::accelerator;
using read::key::node_pool;
using read::key::topology;

const std::string one_slice(32, '1'), another_slice(32, '2');

Node node(const std::string& pool, int number, std::uint32_t chips = 4) {
  Node made{.name = pool + "-" + std::to_string(number), .chips = chips};
  made.labels.add(node_pool, pool);
  made.labels.add(accelerator, "tpu-v6e-slice");
  made.labels.add(topology, "4x4");
  made.taints.push_back({"google.com/tpu", "present"});
  return made;
}

// Pools of four hosts of four chips, and a slice that takes four.
class PoolsTest : public testing::Test {
 protected:
  void whole(const std::string& pool) {
    for (int number = 0; number < 4; ++number) pools.put(node(pool, number));
  }
  void cordoned(const std::string& pool, int number) {
    Node changed = node(pool, number);
    changed.unschedulable = true;
    pools.put(std::move(changed));
  }
  Pools::Host& hold(const std::string& host, const std::string& slice, int priority = 0) {
    return pools.hold(host, holder(slice, priority));
  }
  static Holder holder(const std::string& slice, int priority = 0, std::uint32_t chips = 4) {
    return {.slice = slice_id(slice), .priority = priority, .chips = chips};
  }
  read::PoolQuestion question() const {
    return {.pod = pod,
            .accelerator = "tpu-v6e-slice",
            .topology = "4x4",
            .hosts = 4,
            .chips_per_host = 4,
            .slice_key = one_slice};
  }
  std::vector<std::string> unfit(const read::PoolQuestion& asked) const {
    base::NameList names;
    pools.unfit(asked, names);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < names.size(); ++i) out.emplace_back(names[i]);
    return out;
  }
  std::vector<std::string> unfit() const { return unfit(question()); }

  using Names = std::vector<std::string>;
  read::Pod pod;
  Pools pools;
};

TEST_F(PoolsTest, of_which_each_is_whole_names_none) {
  whole("a");
  whole("b");
  EXPECT_EQ(unfit(), Names());
}

TEST_F(PoolsTest, with_a_host_that_cannot_be_used_are_named_in_order) {
  for (const char* pool :
       {"a", "cordoned", "deleted", "few-chips", "missing", "not-ready", "tainted"})
    whole(pool);
  cordoned("cordoned", 2);
  Node changed = node("deleted", 0);
  changed.taints.push_back({"ToBeDeletedByClusterAutoscaler", "1"});
  pools.put(changed);
  pools.put(node("few-chips", 3, 3));
  pools.remove("missing-1");
  changed = node("not-ready", 1);
  changed.ready = false;
  pools.put(changed);
  changed = node("tainted", 1);
  changed.taints.push_back({"team", "blue"});
  pools.put(changed);
  EXPECT_EQ(unfit(),
            (Names{"cordoned", "deleted", "few-chips", "missing", "not-ready", "tainted"}));
  // And whole again.
  for (const char* pool : {"cordoned", "deleted", "few-chips", "missing", "not-ready", "tainted"})
    whole(pool);
  EXPECT_EQ(unfit(), Names());
}

// Without room for anybody, but of two priorities: to a slice of one of them half of it is free.
TEST_F(PoolsTest, full_of_slices_of_two_priorities_are_named) {
  whole("a");
  for (int number = 0; number < 4; ++number)
    hold(node("a", number).name, std::string(32, "2345"[number]), number < 2 ? 0 : 10);
  EXPECT_EQ(unfit(), (Names{"a"}));
  read::PoolQuestion other = question();
  other.priority = 5;
  EXPECT_EQ(unfit(other), Names()) << "no host of it is free";
}

// The first of them were seen before their nodes.
TEST_F(PoolsTest, full_of_slices_of_two_priorities_are_named_however_they_came) {
  hold("a-0", another_slice);
  whole("a");
  for (const char* host : {"a-1", "a-2", "a-3"}) hold(host, another_slice, 10);
  EXPECT_EQ(unfit(), (Names{"a"}));
}

// Three of four chips are held: whoever asks for one finds room on that host, and on no other.
TEST_F(PoolsTest, with_room_on_one_host_alone_are_named) {
  whole("a");
  for (int number = 0; number < 4; ++number)
    pools.hold(node("a", number).name, {.chips = number == 0 ? 3u : 4u});
  read::PoolQuestion one = question();
  one.chips_per_host = 1;
  EXPECT_EQ(unfit(one), (Names{"a"}));
}

TEST_F(PoolsTest, where_nothing_can_begin_are_not_named) {
  whole("a");
  for (int number = 0; number < 4; ++number) cordoned("a", number);
  EXPECT_EQ(unfit(), Names());
}

TEST_F(PoolsTest, of_another_shape_or_that_is_unknown_are_not_named) {
  whole("a");
  cordoned("a", 0);
  read::PoolQuestion topology_asked = question(), accelerator_asked = question();
  topology_asked.topology = "2x4";
  accelerator_asked.accelerator = "tpu-v5-lite-podslice";
  EXPECT_EQ(unfit(topology_asked), Names());
  EXPECT_EQ(unfit(accelerator_asked), Names());
}

TEST_F(PoolsTest, with_a_taint_are_fit_for_who_tolerates_it) {
  whole("a");
  Node changed = node("a", 1);
  changed.taints.push_back({"team", "blue"});
  pools.put(changed);
  pod.tolerations = {{"team", "Equal", "blue", "NoSchedule"}};
  EXPECT_EQ(unfit(), Names());
  pod.tolerations = {{"team", "Equal", "red", "NoSchedule"}};
  EXPECT_EQ(unfit(), Names{"a"});
}

TEST_F(PoolsTest, that_the_pod_does_not_select_are_not_named) {
  whole("a");
  cordoned("a", 0);
  pod.node_selector = {{node_pool, "b"}};
  EXPECT_EQ(unfit(), Names());
  pod.node_selector = {{node_pool, "a"}};
  EXPECT_EQ(unfit(), Names{"a"});
}

TEST_F(PoolsTest, held_in_part_by_a_stranger_are_named) {
  whole("a");
  Pools::Host& host = pools.hold("a-1", {.chips = 1});
  EXPECT_EQ(unfit(), Names{"a"});
  pools.release(host, {.chips = 1});
  EXPECT_EQ(unfit(), Names());
}

TEST_F(PoolsTest, held_by_a_slice_of_the_priority_are_left_to_the_anti_affinity) {
  whole("a");
  hold("a-0", another_slice);
  EXPECT_EQ(unfit(), Names());
  cordoned("a", 3);
  EXPECT_EQ(unfit(), Names{"a"});
}

TEST_F(PoolsTest, held_in_part_by_a_slice_of_another_priority_are_named) {
  whole("a");
  hold("a-0", another_slice, 1000);
  EXPECT_EQ(unfit(), Names{"a"});
  for (const char* host : {"a-1", "a-2", "a-3"}) hold(host, another_slice, 1000);
  EXPECT_EQ(unfit(), Names());
}

TEST_F(PoolsTest, are_not_asked_about_once_a_member_is_bound) {
  whole("a");
  cordoned("a", 3);
  Pools::Host& first = hold("b-0", one_slice);
  Pools::Host& second = hold("b-1", one_slice);
  EXPECT_EQ(unfit(), Names());
  pools.release(first, holder(one_slice));
  EXPECT_EQ(unfit(), Names());
  pools.release(second, holder(one_slice));
  EXPECT_EQ(unfit(), Names{"a"});
}

TEST_F(PoolsTest, know_pods_before_their_nodes) {
  Pools::Host& host = pools.hold("a-1", {.chips = 4});
  EXPECT_EQ(pools.size(), 0u);
  EXPECT_EQ(pools.find("a-1"), nullptr);
  whole("a");
  EXPECT_EQ(unfit(), Names{"a"});
  pools.remove("a-1");
  pools.release(host, {.chips = 4});
  EXPECT_EQ(unfit(), Names{"a"});
  pools.put(node("a", 1));
  EXPECT_EQ(unfit(), Names());
}

TEST_F(PoolsTest, follow_a_node_to_another_pool) {
  whole("a");
  Node moved = node("b", 1);
  moved.name = "a-1";
  pools.put(moved);
  EXPECT_EQ(unfit(), (Names{"a", "b"}));
  EXPECT_EQ(pools.size(), 4u);
}

TEST_F(PoolsTest, drop_what_a_list_did_not_bring) {
  for (int number = 0; number < 4; ++number) pools.put(node("a", number), 1);
  for (int number = 0; number < 3; ++number) pools.put(node("a", number), 2);
  pools.remove_older(2);
  EXPECT_EQ(pools.size(), 3u);
  EXPECT_EQ(unfit(), Names{"a"});
}

TEST_F(PoolsTest, more_than_can_be_named_are_those_with_most_usable_hosts) {
  const auto name = [](int number) { return "p" + std::to_string(1000 + number); };
  for (int number = 0; number < 100; ++number) {
    whole(name(number));
    cordoned(name(number), 0);
    if (number < 50) cordoned(name(number), 1);  // two usable; the others have three
  }
  const Names named = unfit();
  ASSERT_EQ(named.size(), max_unfit);
  EXPECT_TRUE(std::ranges::is_sorted(named));
  for (int number = 50; number < 100; ++number)
    EXPECT_TRUE(std::ranges::binary_search(named, name(number))) << number;
  EXPECT_TRUE(std::ranges::binary_search(named, name(0)));
  EXPECT_FALSE(std::ranges::binary_search(named, name(49)));
}

TEST_F(PoolsTest, whose_name_is_no_label_value_are_not_named) {
  Node odd = node("a", 0);
  odd.labels = {};
  odd.labels.add(node_pool, "a \"b\"");
  odd.labels.add(accelerator, "tpu-v6e-slice");
  odd.labels.add(topology, "4x4");
  pools.put(odd);
  EXPECT_EQ(unfit(), Names());
}

TEST_F(PoolsTest, are_told_by_shape_and_stay_when_moved) {
  whole("a");
  whole("b");
  Pools::Host& host = hold("a-1", another_slice);
  Pools moved = std::move(pools);
  const auto told = [&] {
    Names out;
    moved.for_each_pool([&](const auto&, const auto& shape, const auto& pool, const auto& hosts) {
      hosts([&](const Node& node, const auto& holders) {
        out.push_back(pool + ' ' + shape + ' ' + node.name + ' ' + std::to_string(holders.size()));
      });
    });
    return out;
  };
  EXPECT_EQ(told(), (Names{"a 4x4 a-0 0", "a 4x4 a-1 1", "a 4x4 a-2 0", "a 4x4 a-3 0",
                           "b 4x4 b-0 0", "b 4x4 b-1 0", "b 4x4 b-2 0", "b 4x4 b-3 0"}));
  moved.release(host, holder(another_slice));
  EXPECT_EQ(told()[1], "a 4x4 a-1 0");
  for (const char* name : {"a-0", "a-1", "a-2", "a-3", "b-0", "b-1", "b-2", "b-3"})
    moved.remove(name);
  EXPECT_EQ(told(), Names());
  pools = Pools();
}

// ---- what a question may cost

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Required node affinity of so many expressions, of which each holds.
void say_of_nodes(read::Pod& pod, std::uint32_t expressions) {
  pod.node_affinity.present = pod.node_affinity.required = pod.node_affinity.terms =
      read::Presence::present;
  pod.requirements.assign(expressions, {.key = "a", .op = "DoesNotExist"});
  pod.node_terms.assign(
      1, {.expressions = read::Presence::present, .empty = false, .begin = 0, .end = expressions});
  pod.node_affinity.begin = 0;
  pod.node_affinity.end = 1;
}

// Of a hundred pools each has a cordoned host.
TEST_F(PoolsTest, are_held_against_what_a_pod_says_as_long_as_that_is_quick) {
  for (int pool = 0; pool < 100; ++pool) {
    whole("p" + std::to_string(pool));
    cordoned("p" + std::to_string(pool), 0);
  }
  EXPECT_EQ(unfit().size(), max_unfit);
  for (const std::uint32_t few : {1u, 10u, 100u}) {
    say_of_nodes(pod, few);
    EXPECT_EQ(unfit().size(), max_unfit) << few;
  }
  for (const std::uint32_t many : {1000u, 60'000u}) {
    say_of_nodes(pod, many);
    const double before = cpu_seconds();
    EXPECT_EQ(unfit(), Names()) << many;  // a preference: nothing is said
    EXPECT_LT(cpu_seconds() - before, 0.1) << many;
  }
  say_of_nodes(pod, 1);
  for (int i = 0; i < 60'000; ++i) pod.tolerations.push_back({"k", "Exists", "", ""});
  EXPECT_EQ(unfit(), Names());
  pod.tolerations.clear();
  pod.values.assign(60'000, "v");
  pod.requirements.front() = {.key = "a", .op = "NotIn", .values_begin = 0, .values_end = 60'000};
  EXPECT_EQ(unfit(), Names());
}

TEST(SliceId, is_the_bytes_of_a_key) {
  const SliceId bytes{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                      0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
  EXPECT_EQ(slice_id("0123456789abcdeffedcba9876543210"), bytes);
}

TEST(SliceId, is_none_for_what_is_no_key) {
  EXPECT_NE(slice_id(one_slice), SliceId());
  EXPECT_NE(slice_id(one_slice), slice_id(another_slice));
  for (std::size_t at = 0; at < one_slice.size(); ++at) {
    std::string other = one_slice;
    other[at] = '2';
    EXPECT_NE(slice_id(one_slice), slice_id(other)) << at;
  }
  for (const std::string& bad : {std::string(), std::string(31, '1'), std::string(33, '1'),
                                 std::string(32, 'G'), std::string(32, 'A')})
    EXPECT_EQ(slice_id(bad), SliceId()) << bad;
}

// What unfit() means, by looking at everything: Pools looks at some pools alone.
class Everything {
 public:
  std::map<std::string, Node> nodes;
  std::vector<std::pair<std::string, Holder>> holders;

  std::vector<std::string> unfit(const SliceId& own, std::int32_t priority) const {
    std::map<std::string, int> usable;
    for (const auto& [host, holder] : holders)
      if (holder.slice == own) return {};
    for (const auto& [name, each] : nodes) {
      std::uint32_t taken = 0;
      for (const auto& [host, holder] : holders)
        if (host == name && (holder.slice == SliceId() || holder.priority != priority))
          taken += holder.chips;
      const bool can = each.ready && !each.unschedulable && taken + 4 <= each.chips;
      usable[std::string(each.labels.value(node_pool))] += can ? 1 : 0;
    }
    std::vector<std::string> out;
    for (const auto& [pool, hosts] : usable)
      if (hosts > 0 && hosts < 4) out.push_back(pool);
    return out;
  }
};

TEST_F(PoolsTest, say_what_a_look_at_everything_says) {
  std::mt19937 random(20261122);
  const auto below = [&](unsigned end) { return static_cast<int>(random() % end); };
  Everything all;
  std::vector<std::pair<Pools::Host*, Holder>> held;
  for (int step = 0; step < 20'000; ++step) {
    const std::string pool = "p" + std::to_string(below(6));
    const int number = below(4);
    const std::string name = pool + "-" + std::to_string(number);
    switch (below(5)) {
      case 0:
      case 1: {
        Node changed = node(pool, number, below(8) == 0 ? 0 : 4);
        changed.ready = below(8) != 0;
        changed.unschedulable = below(8) == 0;
        pools.put(changed);
        all.nodes[name] = changed;
        break;
      }
      case 2:
        if (below(4) == 0) {
          pools.remove(name);
          all.nodes.erase(name);
        }
        break;
      case 3: {
        const std::string slice = below(4) == 0 ? "" : std::string(32, "2345"[below(4)]);
        const Holder holder = this->holder(slice, below(2), below(2) == 0 ? 4 : 1);
        held.emplace_back(&pools.hold(name, holder), holder);
        all.holders.emplace_back(name, holder);
        break;
      }
      case 4:
        if (!held.empty()) {
          const auto which = below(static_cast<unsigned>(held.size()));
          pools.release(*held[which].first, held[which].second);
          held.erase(held.begin() + which);
          all.holders.erase(all.holders.begin() + which);
        }
        break;
    }
    while (held.size() > 12) {
      pools.release(*held.front().first, held.front().second);
      held.erase(held.begin());
      all.holders.erase(all.holders.begin());
    }
    for (const std::int32_t priority : {0, 1})
      for (const std::string& key : {one_slice, another_slice}) {
        read::PoolQuestion asked = question();
        asked.priority = priority;
        asked.slice_key = key;
        ASSERT_EQ(unfit(asked), all.unfit(slice_id(key), priority)) << step;
      }
  }
}

}  // namespace
}  // namespace tpuwh::webhook::pools
