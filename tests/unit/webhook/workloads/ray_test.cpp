#include "webhook/workloads/ray.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "tests/support/identified.hpp"
#include "tests/support/named_case.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using test::a_pod;
using test::case_name;
using test::Identified;
using test::PrintTo;

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

struct Service {
  std::string_view name;
  std::string cluster;
  bool truncates;
  std::string want;
};

class RayService : public testing::TestWithParam<Service> {};

// The first two rows are KubeRay's own (docs/facts.md#kuberay-service).
TEST_P(RayService, is_named_as_by_kuberay) {
  const Identified pod(a_pod().ray(GetParam().cluster, "g", 0, 0),
                       {.kuberay_truncates_service_name = GetParam().truncates});
  EXPECT_EQ(pod.member.subdomain, GetParam().want);
}

const std::string longest(53, 'c');

INSTANTIATE_TEST_SUITE_P(
    Ray, RayService,
    testing::Values(
        Service{"whole", "really-really-extremely-long-test-raycluster-name", false,
                "really-really-extremely-long-test-raycluster-name-headless"},
        Service{"cut", "really-really-extremely-long-test-raycluster-name", true,
                "eally-extremely-long-test-raycluster-name-headless"},
        Service{"short_whole", "c", false, "c-headless"},
        Service{"short_cut", "c", true, "c-headless"},
        Service{"fifty", std::string(41, 'c'), true, std::string(41, 'c') + "-headless"},
        Service{"fifty_one", "x" + std::string(41, 'c'), true, std::string(41, 'c') + "-headless"},
        Service{"first_letter_first", "xa" + std::string(40, 'c'), true,
                "a" + std::string(40, 'c') + "-headless"},
        Service{"last_letter_first", "xz" + std::string(40, 'c'), true,
                "z" + std::string(40, 'c') + "-headless"},
        Service{"digit_first", "x1" + std::string(40, 'c'), true,
                "r" + std::string(40, 'c') + "-headless"},
        Service{"dash_first", "x-" + std::string(40, 'c'), true,
                "r" + std::string(40, 'c') + "-headless"},
        Service{"longest_whole", longest, false, longest + "-headless"}),
    case_name);

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
