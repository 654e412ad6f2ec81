#include "webhook/workloads/pod.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/has.hpp"
#include "tests/support/identified.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using namespace test;

TEST(PodIdentity, is_the_owners_else_its_name) {
  const Identified owned(a_pod().owner("ReplicaSet", "web-5d8", "u"));
  EXPECT_EQ(owned.member.kind, "ReplicaSet");
  EXPECT_EQ(owned.member.group, "web-5d8");
  const Identified named(a_pod().set("/metadata/name", "p"));
  EXPECT_EQ(named.member.kind, "Pod");
  EXPECT_EQ(named.member.group, "p");
  EXPECT_EQ(Identified(a_pod()).member.group, "p-");
}

TEST(PodIdentity, says_nothing_about_a_host) {
  const Identified pod(a_pod());
  EXPECT_FALSE(pod.member.host.present());
  EXPECT_TRUE(has(pod.member.incomplete, "Indexed Job"));
}

}  // namespace
}  // namespace tpuwh::webhook::workloads
