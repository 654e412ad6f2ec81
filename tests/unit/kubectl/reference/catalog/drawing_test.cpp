#include "kubectl/reference/catalog/drawing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tpuwh::server::catalog {
namespace {

using testing::HasSubstr;
using topology::Dims;

const auto grid = *topology::layout::host_grid(Dims(2, 4), 4);

TEST(Drawing, has_room_for_a_title_where_there_is_one) {
  const auto plain = draw({.grid = grid, .rank = 2}, 0);
  const auto titled = draw({.grid = grid, .rank = 2, .title = "2x4"}, 0);
  EXPECT_LT(plain.size.height, titled.size.height);
  EXPECT_LT(plain.size.width, titled.size.width);
  EXPECT_THAT(plain.elements.text(), Not(HasSubstr("class=\"t\"")));
  EXPECT_THAT(titled.elements.text(), HasSubstr(">2x4</text>"));
}

TEST(Drawing, says_of_a_host_what_the_caller_says) {
  const auto words = [](std::uint32_t worker) {
    return HostWords{
        .id = print::escaped("w" + std::to_string(worker)), .title = "a Pod", .more_class = "m"};
  };
  const auto drawing = draw({.grid = grid, .rank = 2, .words = words}, 0);
  EXPECT_THAT(drawing.elements.text(), HasSubstr("<title>a Pod</title><rect class=\"h m\""));
  EXPECT_THAT(drawing.elements.text(), HasSubstr(">w1</text>"));
}

// One layer is always drawn, however many hosts it has.
TEST(Drawing, leaves_layers_out) {
  const auto large = *topology::layout::host_grid(Dims(4, 4, 8), 4);
  EXPECT_EQ(layers_drawn({.grid = large}), 8u);
  EXPECT_EQ(layers_drawn({.grid = large, .most_hosts = 9}), 2u);
  EXPECT_EQ(layers_drawn({.grid = large, .most_hosts = 1}), 1u);
  EXPECT_THAT(draw({.grid = large, .most_hosts = 9}, 0).elements.text(), Not(HasSubstr("z=2")));
}

TEST(Drawing, is_a_file_with_more_style) {
  Drawing all;
  all.append({.elements = "<g/>", .size = {10, 20}});
  all.append({.elements = "<a/>", .size = {5, 7}});
  EXPECT_EQ(all.size.width, 10u);
  EXPECT_EQ(all.size.height, 27u);
  EXPECT_THAT(svg_file(all, ".m{}\n"), HasSubstr("\n.m{}\n</style>\n<g/><a/></svg>"));
}

}  // namespace
}  // namespace tpuwh::server::catalog
