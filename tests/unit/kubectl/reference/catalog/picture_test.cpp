#include "kubectl/reference/catalog/picture.hpp"

#include "kubectl/reference/catalog/svg.hpp"
#include "topology/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

namespace tpuwh::server::catalog {
namespace {

using topology::Dims;

std::string drawn(const Dims& dims, std::uint32_t chips, bool colour = false) {
  return picture(*topology::layout::host_grid(dims, chips), dims.rank(), colour);
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// Pictures of several hosts and layers are in tests/golden/explain/job-2x4.txt, lws-four-groups.txt
// and tpu7x-*.txt.
TEST(Picture, of_one_host_with_eight_chips) {
  EXPECT_EQ(drawn(Dims(2, 4), 8),
            "■ chip; box: host with its worker id; x down, y right\n"
            "\n"
            "        0  1  2  3\n"
            "     ┌ 0 ───────────┐\n"
            "   0 │  ■  ■  ■  ■  │\n"
            "   1 │  ■  ■  ■  ■  │\n"
            "     └──────────────┘\n");
}

TEST(Picture, beyond_64_hosts_is_one_layer_and_words) {
  const auto text = drawn(Dims(4, 4, 32), 4);
  EXPECT_EQ(count(text, "■"), 1u + 16u);  // the legend's, and a layer's
  EXPECT_NE(text.find("z=1 to z=31 look the same: worker ids grow by 4 from each to the next, up "
                      "to 127\n"),
            std::string::npos)
      << text;
}

TEST(Picture, too_wide_for_boxes_is_worker_ids) {
  const auto text = drawn(Dims(32, 32), 4);
  EXPECT_EQ(count(text, "■"), 0u);
  EXPECT_NE(text.find("worker id of a host of 2x2 chips"), std::string::npos);
  EXPECT_NE(text.find("  15  31  47  63"), std::string::npos) << text;
}

// Columns as a terminal counts them: one for each character that is no continuation byte.
std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

TEST(Picture, of_every_catalog_row_has_its_chips_and_fits_a_terminal) {
  for (const auto& generation : topology::generations()) {
    for (const auto& machine : generation.machine_types) {
      for (const auto& row : machine.topologies) {
        SCOPED_TRACE(row.dims.text());
        const auto text = drawn(row.dims, machine.chips_per_vm);
        if (row.vms <= 64) {
          EXPECT_EQ(count(text, "■"), 1 + row.dims.chips());
        }
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) ASSERT_LE(columns(line), 100u) << line;
      }
    }
  }
}

TEST(Picture, has_colour_only_where_asked) {
  EXPECT_EQ(drawn(Dims(4, 4), 4).find('\033'), std::string::npos);
  auto coloured = drawn(Dims(4, 4), 4, true);
  EXPECT_NE(coloured.find("\033[34m■\033[0m"), std::string::npos);
  for (auto at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033')) {
    coloured.erase(at, coloured.find('m', at) + 1 - at);
  }
  EXPECT_EQ(coloured, drawn(Dims(4, 4), 4));  // nothing moves
}

// --- The same as SVG --------------------------------------------------------------

TEST(Svg, draws_every_chip_and_host) {
  for (const auto& dims : {Dims(2, 2, 1), Dims(4, 4, 4), Dims(4, 4, 32)}) {
    const auto pools =
        topology::layout::node_pools(*topology::find_generation("tpu-v5p-slice"), dims);
    const auto text = svg(pools);
    EXPECT_EQ(count(text, "class=\"c\""), dims.chips());
    EXPECT_EQ(count(text, "class=\"h\""), dims.chips() / 4);
    EXPECT_EQ(count(text, "<g>"), count(text, "</g>"));
    EXPECT_EQ(count(text, ">z="), dims.axis(2));
    EXPECT_TRUE(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
  }
}

TEST(Svg, draws_all_ways_with_a_title_each) {
  const auto pools =
      topology::layout::node_pools(*topology::find_generation("tpu-v6e-slice"), Dims(2, 4));
  const auto text = svg(pools);
  EXPECT_NE(text.find("2x4 of tpu-v6e-slice: 2 x ct6e-standard-4t, v6e-8"), std::string::npos);
  EXPECT_NE(text.find("2x4 of tpu-v6e-slice: 1 x ct6e-standard-8t, v6e-8"), std::string::npos);
  EXPECT_EQ(count(text, "class=\"c\""), 16u);
}

}  // namespace
}  // namespace tpuwh::server::catalog
