#include "kubectl/predict/explain/conclude.hpp"

#include "kubectl/predict/explain/text.hpp"
#include "tests/unit/kubectl/predict/explain/written.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::explain {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(AVerdict, says_what_nobody_looked_at) {
  const auto explanation = explained(
      Written{.pod = "subdomain: svc, preemptionPolicy: Never, tomorrow: 1"}.text() + headless);
  const Workload& workload = explanation.workloads.front();
  EXPECT_EQ(workload.verdict, Verdict::fine);
  EXPECT_EQ(workload.unseen.size(), 2u);
  const std::string said = text(explanation, {}).text();
  EXPECT_THAT(said, HasSubstr("\n  nothing in the input stops its slices\n"));
  EXPECT_THAT(said,
              HasSubstr("\n  not looked at: Pod: spec.preemptionPolicy, Pod: spec.tomorrow\n"));
}

TEST(AVerdict, lists_nothing_of_what_asks_for_no_chips) {
  const Workload workload =
      one("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {preemptionPolicy: Never, "
          "containers: [{name: a, image: b}]}}");
  EXPECT_EQ(workload.verdict, Verdict::no_tpu);
  EXPECT_THAT(workload.unseen, IsEmpty());
}

TEST(AVerdict, is_doubtful_where_a_field_keeps_the_pods_from_their_nodes) {
  const Workload workload = one_with_service({.pod = "subdomain: svc, nodeName: a"});
  EXPECT_EQ(workload.verdict, Verdict::doubtful);
  ASSERT_EQ(workload.findings.size(), 1u);
  EXPECT_THAT(workload.findings.front().sentence, HasSubstr("puts all 2 hosts"));
}

TEST(AVerdict, is_doubtful_where_the_machine_is_too_small) {
  const Workload workload =
      one_with_service({.pod = "subdomain: svc, resources: {requests: {cpu: 200}}"});
  ASSERT_EQ(workload.findings.size(), 1u);
  EXPECT_THAT(workload.findings.front().sentence, HasSubstr("a Pod requests 200 CPUs"));
}

TEST(AVerdict, is_fine_where_a_field_only_may_matter) {
  const Written priority{.pod = "subdomain: svc, priorityClassName: high"};
  const Workload workload = one_with_service(priority);
  EXPECT_EQ(workload.verdict, Verdict::fine);
  EXPECT_THAT(workload.notes, testing::Contains(HasSubstr("PriorityClass high must exist")));
  EXPECT_THAT(
      one_with_service(priority, "---\n{kind: PriorityClass, metadata: {name: high}, value: 5}\n")
          .notes,
      Not(testing::Contains(HasSubstr("PriorityClass"))));
}

}  // namespace
}  // namespace tpuwh::server::explain
