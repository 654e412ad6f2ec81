#include "kubectl/reference/catalog/find_accelerator.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tpuwh::server::catalog {
namespace {

using test::case_name;
using test::PrintTo;

struct Named {
  std::string_view name;
  std::string_view text;
  std::string_view want;
  std::uint64_t want_cores = 0;  // 0: none named
};

class FindAccelerator : public testing::TestWithParam<Named> {};

TEST_P(FindAccelerator, knows) {
  const auto found = find_accelerator(GetParam().text);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->generation->label, GetParam().want);
  EXPECT_EQ(found->cores.value_or(0), GetParam().want_cores);
}

const Named named[] = {
    {.name = "label", .text = "tpu-v6e-slice", .want = "tpu-v6e-slice"},
    {.name = "label_in_capitals", .text = "TPU-V6E-Slice", .want = "tpu-v6e-slice"},
    {.name = "short", .text = "v6e", .want = "tpu-v6e-slice"},
    {.name = "spoken", .text = "TPU v6e", .want = "tpu-v6e-slice"},
    {.name = "trillium", .text = "trillium", .want = "tpu-v6e-slice"},
    {.name = "ironwood", .text = "Ironwood", .want = "tpu7x"},
    {.name = "tpu7x", .text = "TPU7x", .want = "tpu7x"},
    {.name = "tpu7", .text = "tpu7", .want = "tpu7"},
    {.name = "ray_v7x", .text = "TPU-V7X", .want = "tpu7x"},
    {.name = "v5e", .text = "v5e", .want = "tpu-v5-lite-podslice"},
    {.name = "v5litepod", .text = "v5litepod", .want = "tpu-v5-lite-podslice"},
    {.name = "v5lite_device", .text = "tpu-v5-lite-device", .want = "tpu-v5-lite-device"},
    {.name = "v3_is_the_slice", .text = "v3", .want = "tpu-v3-slice"},
    {.name = "v4", .text = "v4", .want = "tpu-v4-podslice"},
    {.name = "machine_type", .text = "ct5p-hightpu-4t", .want = "tpu-v5p-slice"},
    {.name = "accelerator_type", .text = "v6e-16", .want = "tpu-v6e-slice", .want_cores = 16},
    {.name = "accelerator_type_v5e",
     .text = "v5litepod-16",
     .want = "tpu-v5-lite-podslice",
     .want_cores = 16},
    {.name = "accelerator_type_ray", .text = "v7x-32", .want = "tpu7x", .want_cores = 32},
};
INSTANTIATE_TEST_SUITE_P(Cases, FindAccelerator, testing::ValuesIn(named), case_name);

TEST(FindAccelerator, knows_what_is_announced_alone) {
  const auto said = [](std::string_view text) { return find_accelerator(text).error().message(); };
  const std::string both =
      "TPU 8t (announced 2026-04-22), TPU 8i (announced 2026-04-22): no GKE label, machine type or "
      "topology is known to this release. Known: tpu-v3-device, ";
  for (const auto* text : {"tpu8", "TPU 8", "v8"})
    EXPECT_EQ(said(text).rfind(both, 0), 0u) << said(text);
  for (const auto* text : {"tpu8i", "TPU 8i", "v8i"})
    EXPECT_EQ(said(text).rfind("TPU 8i (announced 2026-04-22): no GKE label", 0), 0u) << said(text);
  EXPECT_EQ(said("tpu9").rfind("unknown accelerator \"tpu9\"", 0), 0u);
  EXPECT_EQ(said("tpu").rfind("unknown accelerator", 0), 0u);
}

TEST(FindAccelerator, knows_every_label_id_and_machine_type) {
  for (const auto& row : topology::generations()) {
    EXPECT_EQ(find_accelerator(row.label)->generation, &row) << row.label;
    EXPECT_EQ(find_accelerator(row.id)->generation, &row) << row.id;
    for (const auto& machine : row.machine_types) {
      EXPECT_EQ(find_accelerator(machine.name)->machine, &machine) << machine.name;
    }
  }
}

struct Unknown {
  std::string_view name;
  std::string_view text;
  std::string_view want;
};

class FindAcceleratorRefuses : public testing::TestWithParam<Unknown> {};

TEST_P(FindAcceleratorRefuses, with_what_there_is) {
  const auto found = find_accelerator(GetParam().text);
  ASSERT_FALSE(found);
  const std::string text = found.error().message();
  EXPECT_TRUE(text.starts_with(GetParam().want)) << text;
  EXPECT_NE(text.find("Known: tpu-v3-device, tpu-v3-slice, "), std::string::npos) << text;
}

const Unknown not_found[] = {
    {.name = "misspelled",
     .text = "Trilium",
     .want = "unknown accelerator \"Trilium\"; did you mean \"tpu-v6e-slice\"? Known:"},
    {.name = "begun",
     .text = "v6",
     .want = "unknown accelerator \"v6\"; did you mean \"tpu-v6e-slice\"?"},
    {.name = "of_another_maker",
     .text = "nvidia-h100",
     .want = "unknown accelerator \"nvidia-h100\". "},
    {.name = "punctuation", .text = "--", .want = "unknown accelerator \"--\". Known"},
    {.name = "another_generation",
     .text = "tpu-v9-slice",
     .want = "unknown accelerator \"tpu-v9-slice\". "},
};
INSTANTIATE_TEST_SUITE_P(Cases, FindAcceleratorRefuses, testing::ValuesIn(not_found), case_name);

}  // namespace
}  // namespace tpuwh::server::catalog
