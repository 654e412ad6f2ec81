#include "kubectl/inspect/slices/print_slices.hpp"

#include "kubectl/inspect/slices/slice_report.hpp"
#include "tests/unit/kubectl/inspect/slices/a_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

TEST(SlicesJson, has_stable_names) {
  Cluster cluster = a_cluster();
  cluster.pods.resize(2);
  const auto said = slices_json(cluster, report_slices(cluster));
  EXPECT_EQ(
      said.dump(),
      R"({"slices":[{"namespace":"ml","workload":"JobSet","name":"train","part":"w",)"
      R"("slice":0,"slices":2,"accelerator":"tpu-v6e-slice","topology":"4x4","hosts":4,)"
      R"("phase":"forming","missing":[2,3],"duplicates":[],"workerIds":[0,1],)"
      R"("duplicateWorkerIds":[],"workerIdsKnown":true,"pools":["pool-0"],"poolTroubles":[],"waits":[],"members":[)"
      R"({"pod":"train-w-0-0-x","host":0,"node":"node-0-0","running":true,)"
      R"("terminating":false},{"pod":"train-w-0-1-x","host":1,"node":"node-0-1",)"
      R"("running":true,"terminating":false}]}],"notKnown":[]})");
}

}  // namespace
}  // namespace tpuwh::server::slices
