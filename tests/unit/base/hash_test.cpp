#include "base/hash.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/own_mapping.hpp"

namespace tpuwh::base {
namespace {

// Both hashes stand in objects of running clusters: these values were computed by a
// second implementation (Python, FNV-1a of draft-eastlake-fnv) and may not change.

TEST(SliceKey, never_changes) {
  const auto key = [](std::vector<std::string_view> parts) {
    return std::string(view(hash(parts)));
  };
  EXPECT_EQ(key({}), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(key({""}), "d228cb69101a8caf78912b704e4a147f");
  EXPECT_EQ(key({"a"}), "0880954519ab1be95aa0733055b70e0c");
  EXPECT_EQ(key({"a", "bc"}), "35336b6d0a83d94f7081455fbb9aa611");
  EXPECT_EQ(key({"ab", "c"}), "3275330bec83d94f708144878a7ef76d");
  EXPECT_EQ(key({"uid-of-train"}), "e4eec7fe01e08a7fd0b2273a611f039a");
  EXPECT_EQ(key({"default", "Job", "train"}), "7c9b56816b8da5ce812524d1ce788065");
}

TEST(Digests, never_change) {
  EXPECT_EQ(view(digest("")), "9abacb7b");
  EXPECT_EQ(view(digest("0")), "2ee502e6");
  EXPECT_EQ(view(digest("1")), "3d3ee3ad");
  EXPECT_EQ(view(digest("h0.svc,h1.svc")), "27f035ad");
  EXPECT_EQ(view(digest("12345678")), "62e1d75b");
  EXPECT_EQ(view(digest("123456789")), "aa7aaa83");
}

TEST(Digests, tell_neighbours_apart) {
  std::set<std::string> seen;
  std::string list;
  for (int host = 0; host < 2000; ++host) {
    list += "h" + std::to_string(host) + ".svc,";
    EXPECT_TRUE(seen.insert(std::string(view(digest(list)))).second) << host;
    EXPECT_TRUE(seen.insert(std::string(view(digest(std::to_string(host))))).second) << host;
  }
}

TEST(Digests, order_and_borders_count) {
  const auto of = [](std::string_view a, std::string_view b) {
    return std::string(view(Digester().add(a).add(b).digest()));
  };
  EXPECT_NE(of("a", "b"), of("b", "a"));
  EXPECT_NE(of("ab", ""), of("a", "b"));
  EXPECT_NE(of("", "ab"), of("ab", ""));
  EXPECT_NE(of("12345678", "9"), of("123456789", ""));
}

// At the begin of a page and at the end of one; those beside it cannot be read.
TEST(Digests, read_no_byte_but_their_own) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t size = 1; size < 20; ++size) {
    const std::string bytes(size, 'x');
    const test::OwnMapping last(bytes), first(bytes, page - size);
    EXPECT_EQ(view(digest(first.text())), view(digest(bytes)));
    EXPECT_EQ(view(digest(last.text())), view(digest(bytes)));
  }
}

TEST(Digests, zeros_count) {
  using namespace std::string_view_literals;
  EXPECT_NE(view(digest("\0"sv)), view(digest("\0\0"sv)));
  EXPECT_NE(view(digest("a"sv)), view(digest("a\0"sv)));
}

}  // namespace
}  // namespace tpuwh::base
