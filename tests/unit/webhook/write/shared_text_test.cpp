#include "webhook/write/shared_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "tests/support/admitted.hpp"
#include "webhook/write/patch.hpp"

namespace tpuwh::webhook::write {
namespace {

using namespace test;

std::string some_text(std::size_t size) {
  return std::string(size, 'x');
}

TEST(SharedText, is_built_once) {
  SharedTexts texts;
  int built = 0;
  const auto get = [&] {
    return &texts.get("key", [&](Json& out) {
      ++built;
      out << as_string("a,b");
    });
  };
  const SharedText* first = get();
  EXPECT_EQ(get(), first);
  EXPECT_EQ(built, 1);
  EXPECT_EQ(first->value(), "a,b");
  EXPECT_EQ(base::view(first->value_digest), base::view(base::digest("a,b")));
}

TEST(SharedText, that_is_half_built_is_built_again) {
  SharedTexts texts;
  for (int round = 0; round < 3; ++round)
    EXPECT_THROW(texts.get("key",
                           [](Json& out) {
                             out << "\"a,";
                             throw std::bad_alloc();
                           }),
                 std::bad_alloc);
  const auto whole = [](Json& out) { out << as_string("a,b"); };
  EXPECT_EQ(texts.get("key", whole).value(), "a,b");
}

// Of another key, in the place where it stood: there are fewer places than keys.
TEST(SharedText, is_not_what_another_left_half_built) {
  SharedTexts texts;
  const auto whole = [](Json& out) { out << as_string("a,b"); };
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(texts.get("key", whole).value(), "a,b") << i;
    EXPECT_THROW(texts.get(std::to_string(i),
                           [](Json& out) {
                             out << "\"a,";
                             throw std::bad_alloc();
                           }),
                 std::bad_alloc);
  }
}

TEST(SharedText, of_many_keys_is_the_keys) {
  SharedTexts texts;
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 100; ++i) {
      const std::string key = std::to_string(i);
      const SharedText& text = texts.get(key, [&](Json& out) { out << as_string(key); });
      EXPECT_EQ(text.value(), key);
    }
}

// The bound is of what is held, and not of all that ever was: two that take each other's place
// again and again leave a third alone.
TEST(SharedText, stays_while_others_take_turns) {
  SharedTexts texts;
  const std::string kilobyte = some_text(1000);
  const auto built = [&](const std::string& key) {
    bool is_new = false;
    texts.get(key, [&](Json& out) {
      is_new = true;
      out << as_string(kilobyte);
    });
    return is_new;
  };
  built("stays");
  std::vector<std::string> others;
  for (int i = 0; i < 200; ++i) {
    const std::string key = std::to_string(i);
    built(key);
    if (built("stays")) continue;  // it stood where that is now
    others.push_back(key);
  }
  ASSERT_GT(others.size(), SharedTexts::slots);
  std::size_t rebuilt = 0;
  for (int round = 0; round < 30; ++round)
    for (const std::string& key : others) {
      rebuilt += built(key) ? 1 : 0;
      ASSERT_FALSE(built("stays"));
    }
  EXPECT_GT(rebuilt * kilobyte.size(), 2 * SharedTexts::max_bytes);
}

TEST(SharedText, keeps_no_more_than_its_bound) {
  SharedTexts texts;
  const auto built = [&](const std::string& key, std::size_t size) {
    bool is_new = false;
    EXPECT_EQ(texts
                  .get(key,
                       [&](Json& out) {
                         is_new = true;
                         out << as_string(some_text(size));
                       })
                  .value_size,
              size);
    return is_new;
  };
  // Whichever keys do not stand in each other's place.
  std::vector<std::string> apart;
  for (int i = 0; apart.size() < 5; ++i) {
    const std::string key = std::to_string(i);
    built(key, 1);
    if (std::ranges::none_of(apart, [&](const std::string& other) { return built(other, 1); }))
      apart.push_back(key);
    else
      for (const std::string& other : apart) built(other, 1);
  }
  for (const std::string& key : apart) ASSERT_FALSE(built(key, 1));
  texts = {};
  std::size_t again = 0;
  for (int round = 0; round < 2; ++round)
    for (const std::string& key : apart)
      again += built(key, SharedTexts::max_bytes / 4) && round > 0 ? 1 : 0;
  EXPECT_GT(again, 0u);
  // What is small has room again.
  for (const std::string& key : {apart[0], apart[1]}) EXPECT_TRUE(built(key, 1));
  EXPECT_FALSE(built(apart[0], 1));
}

// Wherever the text stands, the base64 is that of the JSON.
TEST(SharedText, is_encoded_as_part_of_a_patch) {
  for (std::size_t before = 0; before < 4; ++before)
    for (std::size_t size = 0; size < 5; ++size) {
      SharedTexts texts;
      const auto& text = texts.get("k", [&](Json& out) { out << as_string(some_text(size)); });
      Patch patch;
      patch.clear("tpu-webhook.dev/");
      for (int i = 0; i < 2; ++i) {
        patch.begin(PatchOp::add, Surface::subdomain);
        for (std::size_t blank = 0; blank < before; ++blank) patch.json() << " ";
        patch.append(text);
        patch.end();
      }
      Json encoded;
      patch.encode(encoded);
      const json operations = json::parse(decode_base64(std::string(encoded.view())));
      ASSERT_EQ(operations.size(), 2u);
      for (const json& operation : operations)
        EXPECT_EQ(operation["value"], std::string(size, 'x'));
    }
}

// And what takes its place is.
TEST(SharedText, of_characters_that_nobody_meant_is_not_sound) {
  SharedTexts texts;
  const auto spoiled = [](Json& out) {
    out << as_string("ab");
    const_cast<char&>(out.view()[1]) = '"';
  };
  EXPECT_FALSE(texts.get("key", spoiled).sound);
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(texts.get(std::to_string(i), [](Json& out) { out << as_string("ab"); }).sound);
}

// What one review leaves behind is never part of another's answer: slices that differ in one
// thing alone, in turns through one workspace.
TEST(SharedText, slices_are_not_mixed_up) {
  const auto jobset = [](const char* name, const char* part, unsigned slice, unsigned host) {
    return a_pod().jobset(name, part, 2, slice, host).on("2x4", 4);
  };
  const auto hostnames = [](const PodBuilder& pod) {
    return effective(admit(pod), "TPU_WORKER_HOSTNAMES");
  };
  const std::string our_prefix = "tpu-webhook.dev/";
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(hostnames(jobset("a", "b", 0, 0)), "a-b-0-0.a,a-b-0-1.a");
    EXPECT_EQ(hostnames(jobset("a", "b", 1, 0)), "a-b-1-0.a,a-b-1-1.a");
    EXPECT_EQ(hostnames(jobset("a", "b-1", 0, 0)), "a-b-1-0-0.a,a-b-1-0-1.a");
    EXPECT_EQ(hostnames(jobset("a", "b", 0, 0).topology("4x4")),
              "a-b-0-0.a,a-b-0-1.a,a-b-0-2.a,a-b-0-3.a");
    EXPECT_EQ(hostnames(jobset("a", "b", 0, 0).set("/spec/subdomain", "c")), "a-b-0-0.c,a-b-0-1.c");
    EXPECT_EQ(hostnames(a_pod().job("a-b-0", 0).on("2x4", 4)), "a-b-0-0.svc,a-b-0-1.svc");
    EXPECT_EQ(hostnames(a_pod().statefulset("a", 3).on("2x4", 4)), "a-2.svc,a-3.svc");
    EXPECT_EQ(hostnames(a_pod()
                            .owner("X", "x", "u")
                            .on("2x4", 4)
                            .ours("worker-id", "0")
                            .ours("hostnames", "a-2.svc,b")),
              "a-2.svc,b");
  }
}

}  // namespace
}  // namespace tpuwh::webhook::write
