#include "server/kube/client/status.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::client {
namespace {

using namespace std::chrono_literals;

const Resource all_pods{.group = "", .version = "v1", .plural = "pods", .ns = ""};
const Resource leases{.group = "coordination.k8s.io",
                      .version = "v1",
                      .plural = "leases",
                      .ns = "tpu-webhook-system"};
const Resource all_clusters{.group = "ray.io", .version = "v1", .plural = "rayclusters", .ns = ""};

TEST(StatusTest, reads_an_answer) {
  const Status status = read_status(
      504, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"Too large resource)"
           R"( version: 9, current: 5","reason":"Timeout","details":{"causes":[{"reason":)"
           R"("ResourceVersionTooLarge","message":"Too large resource version"}],)"
           R"("retryAfterSeconds":1},"code":504})");
  EXPECT_EQ(status.code, 504u);
  EXPECT_EQ(status.reason, "Timeout");
  EXPECT_EQ(status.message, "Too large resource version: 9, current: 5");
  EXPECT_EQ(status.retry_after, 1s);
  ASSERT_EQ(status.causes.size(), 1u);
  EXPECT_TRUE(status.version_too_large());
  EXPECT_FALSE(status.expired());
}

TEST(StatusTest, of_an_event_has_its_own_code) {
  const Status status =
      read_status(0, R"({"kind":"Status","message":"too old","reason":"Expired","code":410})");
  EXPECT_EQ(status.code, 410u);
  EXPECT_TRUE(status.expired());
}

TEST(StatusTest, the_header_says_when_to_come_back) {
  const Status status = read_status(
      429, R"({"kind":"Status","reason":"TooManyRequests","details":{"retryAfterSeconds":9}})", 5s);
  EXPECT_EQ(status.retry_after, 5s);
}

TEST(StatusTest, a_proxys_page_is_cut_to_one_line) {
  const Status status = read_status(503, "<html>\r\n<b>no upstream</b>\n" + std::string(500, 'x'));
  EXPECT_EQ(status.reason, "ServiceUnavailable");
  EXPECT_EQ(status.message.substr(0, 30), "<html> <b>no upstream</b> xxxx");
  EXPECT_LT(status.message.size(), 210u);
  EXPECT_EQ(read_status(404, "404 page not found\n").message, "404 page not found");
}

TEST(StatusTest, survives_wrong_types) {
  const Status status = read_status(
      0,
      R"({"kind":"Status","message":7,"code":"x","details":{"causes":[1],"retryAfterSeconds":-1}})");
  EXPECT_EQ(status.code, 0u);
  EXPECT_EQ(status.message, "");
  EXPECT_FALSE(status.retry_after);
}

TEST(SentenceTest, says_which_rule_is_missing) {
  Status status;
  status.code = 403;
  status.reason = "Forbidden";
  status.message = "pods is forbidden";
  EXPECT_EQ(sentence("list", all_pods, status),
            "cannot list pods: 403 Forbidden: pods is forbidden; RBAC missing: list pods "
            "(cluster-wide); add {apiGroups: [\"\"], resources: [\"pods\"], verbs: [\"list\"]} to "
            "the ClusterRole of this program's ServiceAccount");
  EXPECT_EQ(missing_rule("update", leases),
            "RBAC missing: update leases.coordination.k8s.io (in namespace tpu-webhook-system); "
            "add {apiGroups: [\"coordination.k8s.io\"], resources: [\"leases\"], verbs: "
            "[\"update\"]} to the Role of this program's ServiceAccount");
}

TEST(SentenceTest, asks_about_the_definition_of_what_is_not_served) {
  Status status;
  status.code = 404;
  status.reason = "NotFound";
  EXPECT_EQ(sentence("watch", all_clusters, status),
            "cannot watch rayclusters.ray.io: 404 NotFound; rayclusters.ray.io of version v1 is "
            "not served: is its CustomResourceDefinition installed?");
}

}  // namespace
}  // namespace tpuwh::server::kube::client
