#include "kubectl/print/ranges.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::print {
namespace {

TEST(Ranges, are_short) {
  const auto text = [](std::vector<std::uint32_t> numbers) { return as_ranges(numbers); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({3}), "3");
  EXPECT_EQ(text({0, 1, 2, 3}), "0-3");
  EXPECT_EQ(text({3, 5, 6, 7, 9}), "3,5-7,9");
}

}  // namespace
}  // namespace tpuwh::server::print
