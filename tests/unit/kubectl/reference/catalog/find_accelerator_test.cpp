#include "kubectl/reference/catalog/find_accelerator.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::catalog {
namespace {

TEST(FindAccelerator, knows) {
  const struct {
    std::string_view want;
    std::vector<std::string_view> texts;
    std::uint64_t want_cores = 0;  // 0: none named
  } cases[] = {
      {"tpu-v6e-slice", {"tpu-v6e-slice", "TPU-V6E-Slice", "v6e", "TPU v6e", "trillium"}},
      {"tpu7x", {"Ironwood", "TPU7x", "TPU-V7X"}},
      {"tpu7", {"tpu7"}},
      {"tpu-v5-lite-podslice", {"v5e", "v5litepod"}},
      {"tpu-v3-slice", {"v3"}},
      {"tpu-v4-podslice", {"v4"}},
      {"tpu-v6e-slice", {"v6e-16"}, 16},
      {"tpu-v5-lite-podslice", {"v5litepod-16"}, 16},
      {"tpu7x", {"v7x-32"}, 32},
  };
  for (const auto& [want, texts, want_cores] : cases)
    for (const std::string_view text : texts) {
      const auto found = find_accelerator(text);
      ASSERT_TRUE(found) << found.error().message();
      EXPECT_EQ(found->generation->label, want) << text;
      EXPECT_EQ(found->cores.value_or(0), want_cores) << text;
    }
}

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

TEST(FindAcceleratorRefuses, with_what_there_is) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"Trilium", "unknown accelerator \"Trilium\"; did you mean \"tpu-v6e-slice\"? Known:"},
      {"v6", "unknown accelerator \"v6\"; did you mean \"tpu-v6e-slice\"?"},
      {"nvidia-h100", "unknown accelerator \"nvidia-h100\". "},
      {"--", "unknown accelerator \"--\". Known"},
      {"tpu-v9-slice", "unknown accelerator \"tpu-v9-slice\". "},
  };
  for (const auto& [text, want] : cases) {
    SCOPED_TRACE(text);
    const auto found = find_accelerator(text);
    ASSERT_FALSE(found);
    const std::string said = found.error().message();
    EXPECT_TRUE(said.starts_with(want)) << said;
    EXPECT_NE(said.find("Known: tpu-v3-device, tpu-v3-slice, "), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace tpuwh::server::catalog
