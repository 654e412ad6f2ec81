#include "topology/layout/multislice.hpp"
#include "base/result.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/named_case.hpp"

namespace tpuwh::topology::layout {
namespace {

using test::case_name;
using test::PrintTo;

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

struct RefusedMultislice {
  std::string_view name;
  std::string_view accelerator;
  Dims dims;
  std::uint32_t chips = 4;
  std::uint32_t count;
  std::string_view want;
};

class MultisliceRefuses : public testing::TestWithParam<RefusedMultislice> {};

TEST_P(MultisliceRefuses, with_the_numbers) {
  const RefusedMultislice& c = GetParam();
  const auto slices = make_multislice(slice_of(c.accelerator, c.dims, c.chips), c.count);
  ASSERT_FALSE(slices);
  EXPECT_EQ(slices.error().code(), base::Errc::bad_value);
  EXPECT_NE(slices.error().message().find(c.want), std::string::npos) << slices.error().message();
}

const RefusedMultislice refused_multislices[] = {
    {.name = "none",
     .accelerator = "tpu-v6e-slice",
     .dims = {4, 4},
     .count = 0,
     .want = "at least 1 slice, not 0"},
    {.name = "single_host",
     .accelerator = "tpu-v6e-slice",
     .dims = {2, 4},
     .chips = 8,
     .count = 2,
     .want = "2 slices of 2x4 with 8 chips per host are independent"},
    {.name = "v3",
     .accelerator = "tpu-v3-slice",
     .dims = {4, 4},
     .count = 2,
     .want = "multislice is not documented for tpu-v3-slice"},
    {.name = "overflow",
     .accelerator = "tpu-v6e-slice",
     .dims = {4, 4},
     .count = 0x40000001,
     .want = "more than 4,294,967,295 hosts"},
};
INSTANTIATE_TEST_SUITE_P(Cases, MultisliceRefuses, testing::ValuesIn(refused_multislices),
                         case_name);

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
