#include "kubectl/reference/catalog/notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kubectl/reference/catalog/pool_of.hpp"

namespace tpuwh::server::catalog {
namespace {

using testing::Contains;
using testing::HasSubstr;
using topology::Dims;

TEST(Notes, say_what_the_numbers_do_not) {
  const auto v6e = notes(pool_of("tpu-v6e-slice", Dims(2, 4)), {});
  EXPECT_THAT(v6e, Contains(HasSubstr("2x4 is also 1 node of 8 chips (ct6e-standard-8t)")));
  EXPECT_THAT(v6e, Contains(HasSubstr("a different --num-nodes or --max-nodes than 2")));
  EXPECT_THAT(v6e, Contains(HasSubstr("say 1 host where GKE has 2 nodes")));
  EXPECT_THAT(notes(pool_of("tpu-v5p-slice", Dims(4, 4, 16)), {}),
              Contains(HasSubstr("no source lists this shape")));
  EXPECT_THAT(notes(pool_of("tpu-v5p-slice", Dims(12, 24, 24)), {}),
              Contains(HasSubstr("has 6144 chips")));
  EXPECT_THAT(notes(pool_of("tpu-v5-lite-device", Dims(2, 2)), {}),
              Contains(HasSubstr("sets no bounds and no wrap")));
  EXPECT_THAT(notes(pool_of("tpu7x", Dims(2, 2, 2)), {}),
              Contains(HasSubstr("4 processes, chips per process 1,2,1, processes 2,1,2")));
  EXPECT_THAT(notes(pool_of("tpu-v3-slice", Dims(4, 4)), {.slices = 2}),
              Contains(HasSubstr("are independent")));
}

// The other notes are in a sample of docs/catalog.md, which tests/readme runs.
TEST(Notes, say_how_blocks_become_a_slice) {
  const auto large = notes(pool_of("tpu7x", Dims(4, 12, 16)), {.dynamic_slicing = true});
  EXPECT_THAT(large, Not(Contains(HasSubstr("does not form"))));
  EXPECT_THAT(large, Not(Contains(HasSubstr("at most 32 blocks"))));
  EXPECT_THAT(notes(pool_of("tpu7x", Dims(4, 8, 68)), {.dynamic_slicing = true}),
              Contains(HasSubstr("at most 32 blocks")));
  const auto small =
      notes(pool_of("tpu7x", Dims(2, 2, 2)), {.reservation = "r1", .dynamic_slicing = true});
  EXPECT_THAT(small, Contains(HasSubstr("that names the partition")));
  EXPECT_THAT(small, Contains(HasSubstr("GKE 1.36.0-gke.3712000 or later")));
  EXPECT_THAT(small, Not(Contains(HasSubstr("$RESERVATION"))));
}

}  // namespace
}  // namespace tpuwh::server::catalog
