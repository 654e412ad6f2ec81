#include "kubectl/inspect/slices/print_slices.hpp"

#include "kubectl/inspect/slices/slice_report.hpp"
#include "tests/unit/kubectl/inspect/slices/a_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::slices {
namespace {

using testing::HasSubstr;

// The row of slice 0.
std::string row(const Cluster& cluster) {
  const std::string text = slices_text(cluster, report_slices(cluster), false).text();
  const auto begin = text.find('\n') + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(SlicesText, is_a_row_for_each) {
  Cluster cluster = a_cluster();
  EXPECT_EQ(row(cluster),
            "  ml         JobSet/train/w  0 of 2  tpu-v6e-slice  4x4       4 of 4   0-3         "
            "pool-0  running");
  cluster.pods[3].node = "";
  add_twin(cluster, Life::running, false);
  cluster.pods.erase(cluster.pods.begin() + 1);
  EXPECT_THAT(row(cluster),
              HasSubstr("4 of 4, missing 1, duplicate 2  0,2-3, duplicate 2  pool-0"));
  cluster.nodes.clear();
  EXPECT_THAT(row(cluster), HasSubstr("not known  broken"));
  EXPECT_THAT(slices_text(cluster, report_slices(cluster), false).text(),
              HasSubstr("\nnot known: node pools, because"));
  EXPECT_EQ(slices_text({}, {}, false).text(), "no Pod asks for google.com/tpu\n");
}

}  // namespace
}  // namespace tpuwh::server::slices
