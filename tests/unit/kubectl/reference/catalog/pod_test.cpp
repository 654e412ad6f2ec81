#include "kubectl/reference/catalog/pod.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kubectl/reference/catalog/pool_of.hpp"

namespace tpuwh::server::catalog {
namespace {

using testing::HasSubstr;
using topology::Dims;

// The YAML for a dynamic slice is in docs/catalog.md, in a sample that tests/readme runs.
TEST(PodYaml, selects_the_nodes_and_asks_for_all_their_chips) {
  EXPECT_EQ(pod_yaml(pool_of("tpu-v6e-slice", Dims(2, 4), 8), {.spot = true}),
            "spec:\n"
            "  nodeSelector:\n"
            "    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
            "    cloud.google.com/gke-tpu-topology: 2x4\n"
            "    cloud.google.com/gke-spot: \"true\"\n"
            "  containers:\n"
            "  - name: main\n"
            "    resources:\n"
            "      limits:\n"
            "        google.com/tpu: 8\n");
}

TEST(PodYaml, names_a_claim_in_pod_and_container) {
  const auto yaml = pod_yaml(pool_of("tpu-v6e-slice", Dims(4, 4)), {.dranet = true});
  EXPECT_THAT(yaml, HasSubstr("kind: ResourceClaimTemplate"));
  EXPECT_THAT(yaml, HasSubstr("  resourceClaims:\n  - name: netdev\n"));
  EXPECT_THAT(yaml, HasSubstr("      claims:\n      - name: netdev\n"));
}

TEST(PodYaml, quotes_what_yaml_would_not_read_as_text) {
  EXPECT_THAT(pod_yaml(pool_of("tpu-v6e-slice", Dims(4, 4)), {.reservation = "no"}),
              HasSubstr("cloud.google.com/reservation-name: \"no\"\n"));
}

}  // namespace
}  // namespace tpuwh::server::catalog
