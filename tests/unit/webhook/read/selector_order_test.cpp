#include "webhook/read/selector_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tpuwh::webhook::read {
namespace {

// Keys that are alike for no character, for many, and for more than are compared in words; each in
// a pair that differs in the last character alone.
std::vector<std::string> some_keys(std::size_t count) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pair = i / 2 * 7919 % 1009;
    keys.push_back(std::to_string(pair % 10) + std::string(pair % 4 * 25, 'k') +
                   std::to_string(pair) + "/abcdefgh" + (i % 2 == 0 ? 'b' : 'a'));
  }
  return keys;
}

TEST(SelectorOrder, is_of_the_keys) {
  for (const std::size_t count : {0u, 1u, 2u, 31u, 32u, 33u, 64u, 65u, 1000u}) {
    const std::vector<std::string> keys = some_keys(count);
    std::vector<Selector> selectors;
    for (const std::string& key : keys) selectors.push_back({key, std::string_view(key).substr(1)});
    sort_by_key(selectors);
    std::vector<std::string_view> want(keys.begin(), keys.end());
    std::ranges::sort(want);
    ASSERT_EQ(selectors.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(selectors[i].key, want[i]) << count;
      EXPECT_EQ(selectors[i].value, want[i].substr(1)) << count;
    }
  }
}

}  // namespace
}  // namespace tpuwh::webhook::read
