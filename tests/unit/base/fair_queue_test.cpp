#include "base/fair_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tpuwh::base {
namespace {

using Path = FairQueue::Path;
using Names = std::vector<std::string>;

// Entries with names.
class FairQueueTest : public testing::Test {
 protected:
  void push(const std::string& name, const Path& path, std::size_t turns = 1) {
    const auto entry = entries.emplace(name, std::make_unique<FairQueue::Entry>(turns)).first;
    queue.push(path, *entry->second);
  }
  std::string name_of(const FairQueue::Entry* entry) const {
    for (const auto& [name, each] : entries)
      if (each.get() == entry) return name;
    return "none";
  }
  // All that wait, as they are served.
  Names served() {
    Names out;
    while (FairQueue::Entry* const next = queue.front()) {
      out.push_back(name_of(next));
      FairQueue::take_out(*next, true);
    }
    return out;
  }

  FairQueue queue;
  std::map<std::string, std::unique_ptr<FairQueue::Entry>> entries;
};

TEST_F(FairQueueTest, serves_namespaces_in_turn_and_in_each_its_owners) {
  push("a1", {"many", "a"});
  push("a2", {"many", "a"});
  push("a3", {"many", "a"});
  push("b1", {"many", "b"});
  push("c1", {"one", "c"});
  push("c2", {"one", "c"});
  EXPECT_EQ(queue.turns(), 6u);
  EXPECT_EQ(served(), Names({"a1", "c1", "b1", "c2", "a2", "a3"}));
  EXPECT_EQ(queue.turns(), 0u);
  EXPECT_EQ(queue.front(), nullptr);
}

TEST_F(FairQueueTest, serves_first_what_came_first_of_one_path) {
  for (const char* name : {"a", "b", "c"}) push(name, {});
  EXPECT_EQ(served(), Names({"a", "b", "c"}));
}

// Whoever can make owners without end cannot keep another one from its turn.
TEST_F(FairQueueTest, puts_who_comes_behind_all_that_wait) {
  push("first", {"ns", "old"});
  push("second", {"ns", "old"});
  std::size_t made = 0;
  Names out;
  while (entries.contains("second") && made < 100) {
    push("new" + std::to_string(made), {"ns", "owner" + std::to_string(made)});
    ++made;
    FairQueue::Entry* const next = queue.front();
    out.push_back(name_of(next));
    entries.erase(name_of(next));
  }
  EXPECT_EQ(out, Names({"first", "second"}));
}

TEST_F(FairQueueTest, leaves_the_order_as_it_is_where_an_entry_gives_up) {
  push("a1", {"a"});
  push("a2", {"a"});
  push("b1", {"b"});
  FairQueue::take_out(*entries.at("a1"), false);
  FairQueue::take_out(*entries.at("a1"), false);  // which does not wait any more
  EXPECT_EQ(served(), Names({"a2", "b1"}));
}

TEST_F(FairQueueTest, forgets_an_entry_at_the_end_of_its_life) {
  push("a", {"a"});
  push("b", {"b"});
  entries.erase("a");
  EXPECT_EQ(served(), Names({"b"}));
}

TEST_F(FairQueueTest, counts_the_turns_of_each_tenant) {
  push("a", {"ns", "a"}, 3);
  push("b", {"ns", "b"}, 2);
  push("c", {"other", ""});
  EXPECT_EQ(queue.turns(), 6u);
  EXPECT_EQ(queue.turns({"ns", "a"}, 1), 5u);
  EXPECT_EQ(queue.turns({"ns", "a"}, 2), 3u);
  EXPECT_EQ(queue.turns({"other", ""}, 2), 1u);
  EXPECT_EQ(queue.turns({"nowhere", "a"}, 1), 0u);
  EXPECT_EQ(queue.turns({"nowhere", "a"}, 2), 0u);
}

// A bound that the order of service keeps.
TEST_F(FairQueueTest, says_how_many_turns_are_ahead_at_the_most) {
  for (int i = 0; i < 30; ++i) push("m" + std::to_string(i), {"many", std::to_string(i % 3)}, 3);
  push("last of many", {"many", "0"});
  push("quiet", {"one", "x"});
  EXPECT_EQ(queue.ahead_of(*entries.at("quiet")), 1u);
  EXPECT_EQ(queue.ahead_of(*entries.at("last of many")), queue.turns() - 1);
  EXPECT_EQ(queue.ahead_of(*entries.at("m4")), 2u * 3 * 6 - 3);
  std::map<std::string, std::size_t> bounds;
  for (const auto& [name, entry] : entries) bounds[name] = queue.ahead_of(*entry);
  std::size_t before = 0;
  for (const std::string& name : served()) {
    // The one turn of another namespace may be three at once.
    EXPECT_LE(before, bounds[name] + 3) << name;
    before += entries.at(name)->turns;
  }
}

}  // namespace
}  // namespace tpuwh::base
