#include "topology/layout/multislice.hpp"
#include "base/result.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/has.hpp"

namespace tpuwh::topology::layout {
namespace {

using test::has;

Slice slice_of(std::string_view accelerator, const Dims& dims, std::uint64_t chips,
               std::uint32_t containers = 1) {
  return *make_slice({accelerator, dims, chips, containers});
}

TEST(Multislice, adds_up) {
  const auto two = make_multislice(slice_of("tpu-v6e-slice", Dims(4, 4), 4), 2);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->chips(), 32u);
  EXPECT_EQ(two->hosts(), 8u);
  EXPECT_EQ(two->processes(), 8u);
  EXPECT_EQ(make_multislice(slice_of("tpu7x", Dims(2, 2, 2), 2, 2), 3)->processes(), 12u);
}

TEST(Multislice, numbers_members_slice_after_slice) {
  const auto three = make_multislice(slice_of("tpu-v6e-slice", Dims(4, 4), 4), 3);
  ASSERT_TRUE(three);
  for (std::uint32_t member = 0; member < three->hosts(); ++member) {
    EXPECT_EQ(three->place_of(member), (Place{member / 4, member % 4}));
    EXPECT_EQ(three->member_at(three->place_of(member)), member);
  }
}

TEST(Multislice, is_refused_with_the_numbers) {
  const auto refused = [](std::string_view accelerator, const Dims& dims, std::uint32_t chips,
                          std::uint32_t count) {
    const auto slices = make_multislice(slice_of(accelerator, dims, chips), count);
    EXPECT_FALSE(slices);
    EXPECT_EQ(slices.error().code(), base::Errc::bad_value);
    return slices.error().message();
  };
  EXPECT_TRUE(has(refused("tpu-v6e-slice", {4, 4}, 4, 0), "at least 1 slice, not 0"));
  EXPECT_TRUE(has(refused("tpu-v6e-slice", {2, 4}, 8, 2),
                  "2 slices of 2x4 with 8 chips per host are independent"));
  EXPECT_TRUE(
      has(refused("tpu-v3-slice", {4, 4}, 4, 2), "multislice is not documented for tpu-v3-slice"));
  EXPECT_TRUE(
      has(refused("tpu-v6e-slice", {4, 4}, 4, 0x40000001), "more than 4,294,967,295 hosts"));
}

TEST(Multislice, of_one_is_always_a_job) {
  EXPECT_TRUE(make_multislice(slice_of("tpu-v3-slice", Dims(4, 4), 4), 1));
  EXPECT_TRUE(make_multislice(slice_of("tpu-v6e-slice", Dims(1, 1), 1), 1));
  EXPECT_TRUE(make_multislice(slice_of("tpu9z", Dims(4, 4), 4), 7));  // nothing is known of it
}

TEST(Multislice, has_as_many_hosts_as_32_bits_count) {
  EXPECT_TRUE(make_multislice(slice_of("tpu-v6e-slice", Dims(2, 4), 4), 2'147'483'647));
  EXPECT_FALSE(make_multislice(slice_of("tpu-v6e-slice", Dims(2, 4), 4), 2'147'483'648));
}

}  // namespace
}  // namespace tpuwh::topology::layout
