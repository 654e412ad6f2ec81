#include "webhook/workloads/ray.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "tests/support/identified.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using namespace test;

TEST(RayIdentity, is_what_kuberay_wrote) {
  const Identified pod(a_pod().ray("c", "g-1", 2, 3));
  EXPECT_EQ(pod.member.kind, "RayCluster");
  EXPECT_EQ(pod.member.group, "c");
  EXPECT_EQ(pod.member.part, "g-1");
  EXPECT_EQ(pod.member.host.text, "3");
  EXPECT_EQ(pod.member.slice.text, "2");
  EXPECT_EQ(pod.host_name(2, 3), "g-1-2-3");
  EXPECT_TRUE(pod.member.gives_names);
  EXPECT_FALSE(pod.member.slices_are_one_job);
  EXPECT_EQ(pod.member.incomplete, "");
}

// An order of names is nobody's order (ray-project/ray#66055).
TEST(RayIdentity, is_not_in_the_order_of_names) {
  EXPECT_EQ(Identified(a_pod().ray("c", "g", 0, 0).set("/metadata/name", "z")).member.host.text,
            "0");
  EXPECT_EQ(Identified(a_pod().ray("c", "g", 0, 1).set("/metadata/name", "a")).member.host.text,
            "1");
}

TEST(RayIdentity, without_host_indexing_a_ledger_gives_the_place) {
  EXPECT_FALSE(Identified(a_pod().ray("c", "g", 0, 0)).member.needs_place);
  const Identified pod(a_pod().ray("c", "g", 0, 0).label("ray.io/worker-group-replica-index", ""));
  EXPECT_TRUE(pod.member.needs_place);
  EXPECT_EQ(pod.member.incomplete, "");
}

// The name in the first two cases is from KubeRay's tests (docs/facts.md#kuberay-service).
TEST(RayService, is_named_as_by_kuberay) {
  const auto service = [](const std::string& cluster, bool truncates) {
    const Identified pod(a_pod().ray(cluster, "g", 0, 0),
                         {.kuberay_truncates_service_name = truncates});
    return std::string(pod.member.subdomain);
  };
  const std::string long_name = "really-really-extremely-long-test-raycluster-name";
  const std::string letters(40, 'c'), longest(53, 'c');
  EXPECT_EQ(service(long_name, false), long_name + "-headless");
  EXPECT_EQ(service(long_name, true), "eally-extremely-long-test-raycluster-name-headless");
  EXPECT_EQ(service("c", false), "c-headless");
  EXPECT_EQ(service("c", true), "c-headless");
  EXPECT_EQ(service(letters + "c", true), letters + "c-headless");
  EXPECT_EQ(service("xc" + letters, true), "c" + letters + "-headless");
  EXPECT_EQ(service("xa" + letters, true), "a" + letters + "-headless");
  EXPECT_EQ(service("xz" + letters, true), "z" + letters + "-headless");
  EXPECT_EQ(service("x1" + letters, true), "r" + letters + "-headless");
  EXPECT_EQ(service("x-" + letters, true), "r" + letters + "-headless");
  EXPECT_EQ(service(longest, false), longest + "-headless");
}

struct OneService final : read::ClusterView {
  std::optional<std::string> ray_headless_service(std::string_view ns,
                                                  std::string_view cluster) const override {
    if (ns == "default" && cluster == "c") return "the-service";
    return std::nullopt;
  }
};

TEST(RayServiceOfTheCluster, is_taken_where_it_is_known) {
  const OneService cluster;
  EXPECT_EQ(Identified(a_pod().ray("c", "g", 0, 0), {}, cluster).member.subdomain, "the-service");
  EXPECT_EQ(Identified(a_pod().ray("d", "g", 0, 0), {}, cluster).member.subdomain, "d-headless");
  EXPECT_EQ(Identified(a_pod().ray("c", "g", 0, 0).set("/spec/subdomain", "mine"), {}, cluster)
                .member.subdomain,
            "mine");
}

}  // namespace
}  // namespace tpuwh::webhook::workloads
