#include "topology/accelerator.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace tpuwh::topology {
namespace {

// Two letters may be wrong, and of a short name no more than half; what is begun is known by its
// beginning, of two letters at least.
TEST(NearestAccelerator, is_two_letters_away_at_most) {
  const auto nearest = [](std::string_view text) -> std::string_view {
    const Generation* found = nearest_accelerator(text);
    return found == nullptr ? "" : found->label;
  };
  EXPECT_EQ(nearest("trillium"), "tpu-v6e-slice");
  EXPECT_EQ(nearest("trilium"), "tpu-v6e-slice");
  EXPECT_EQ(nearest("triliun"), "tpu-v6e-slice");
  EXPECT_EQ(nearest("tiliun"), "");
  EXPECT_EQ(nearest("tpu-v6e-slcie"), "tpu-v6e-slice");  // two that changed places are one letter
  EXPECT_EQ(nearest("tpu-v6e-slciee"), "tpu-v6e-slice");
  EXPECT_EQ(nearest("tpu-v6e-xslciee"), "");
  EXPECT_EQ(nearest("iron"), "tpu7x");
  EXPECT_EQ(nearest("ir"), "tpu7x");
  EXPECT_EQ(nearest("i"), "");
  EXPECT_EQ(nearest("6e"), "tpu-v6e-slice");
  EXPECT_EQ(nearest("y6x"), "");
  EXPECT_EQ(nearest("v5p0"), "");  // another number is another generation
  EXPECT_EQ(nearest("v5p9"), "");
  EXPECT_EQ(nearest("tpu"), "");
  EXPECT_EQ(nearest(""), "");
}

}  // namespace
}  // namespace tpuwh::topology
