#include "server/kube/client/request.hpp"
#include "base/result.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::client {
namespace {

const Resource pods{.group = "", .version = "v1", .plural = "pods", .ns = ""};
const Resource clusters{
    .group = "ray.io", .version = "v1", .plural = "rayclusters", .ns = "team-a"};

TEST(ResourceTest, path_and_name) {
  EXPECT_EQ(pods.path(), "/api/v1/pods");
  EXPECT_EQ(pods.name(), "pods");
  EXPECT_EQ(clusters.path(), "/apis/ray.io/v1/namespaces/team-a/rayclusters");
  EXPECT_EQ(clusters.name(), "rayclusters.ray.io");
}

TEST(RequestTest, escapes_all_but_unreserved_characters) {
  EXPECT_EQ(escaped("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(escaped("a b&c=d/e,f!%\xc3\xa9"), "a%20b%26c%3Dd%2Fe%2Cf%21%25%C3%A9");
}

TEST(RequestTest, list_of_everything) {
  const Request request = list(pods, {}, {});
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/api/v1/pods");
  EXPECT_EQ(request.body, "");
  EXPECT_EQ(request.content_type, "");
  EXPECT_TRUE(request.reads());
}

TEST(RequestTest, list_page) {
  const Selectors selectors{.labels = "ray.io/cluster,app in (a,b)",
                            .fields = "status.phase!=Succeeded"};
  const ListOptions options{
      .limit = 500, .continue_token = "eyJ2+/=", .version = "", .version_match = ""};
  EXPECT_EQ(list(pods, selectors, options).target,
            "/api/v1/pods?labelSelector=ray.io%2Fcluster%2Capp%20in%20%28a%2Cb%29"
            "&fieldSelector=status.phase%21%3DSucceeded&limit=500&continue=eyJ2%2B%2F%3D");
}

TEST(RequestTest, list_not_older_than) {
  const ListOptions options{
      .limit = 0, .continue_token = "", .version = "17", .version_match = "NotOlderThan"};
  EXPECT_EQ(list(pods, {}, options).target,
            "/api/v1/pods?resourceVersion=17&resourceVersionMatch=NotOlderThan");
}

TEST(RequestTest, watch_from_a_version) {
  const WatchOptions options{
      .version = "17", .timeout = std::chrono::seconds(301), .initial_events = false};
  EXPECT_EQ(watch(clusters, {}, options).target,
            "/apis/ray.io/v1/namespaces/team-a/rayclusters?watch=1&resourceVersion=17"
            "&allowWatchBookmarks=true&timeoutSeconds=301");
}

TEST(RequestTest, watch_list) {
  const WatchOptions options{
      .version = "", .timeout = std::chrono::seconds(600), .initial_events = true};
  EXPECT_EQ(watch(pods, {}, options).target,
            "/api/v1/pods?watch=1&allowWatchBookmarks=true&sendInitialEvents=true"
            "&resourceVersionMatch=NotOlderThan&timeoutSeconds=600");
}

TEST(RequestTest, get_and_create) {
  EXPECT_EQ(get(clusters, "a/b").target, "/apis/ray.io/v1/namespaces/team-a/rayclusters/a%2Fb");
  const Request request = create(clusters, "{}");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/apis/ray.io/v1/namespaces/team-a/rayclusters");
  EXPECT_EQ(request.body, "{}");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_FALSE(request.reads());
}

// The one parameter on which it depends that nothing is stored.
TEST(RequestTest, what_is_tried_is_a_dry_run) {
  const Request request = try_create(clusters, "{}");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target,
            "/apis/ray.io/v1/namespaces/team-a/rayclusters?dryRun=All&fieldManager=kubectl-tpu"
            "&fieldValidation=Strict");
  EXPECT_EQ(request.body, "{}");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_TRUE(request.reads());
}

TEST(RequestTest, update_puts_the_object_as_it_is) {
  const std::string object = R"({"metadata":{"resourceVersion":"5"},"data":{}})";
  const auto request = update(clusters, "x", object);
  ASSERT_TRUE(request) << request.error().text();
  EXPECT_EQ(request->method, "PUT");
  EXPECT_EQ(request->body, object);
}

TEST(RequestTest, update_is_refused_without_a_version) {
  for (const char* object : {"{}", R"({"metadata":{}})", R"({"metadata":{"resourceVersion":""}})",
                             R"({"metadata":{"resourceVersion":5}})", "[]", "{"}) {
    const auto request = update(clusters, "x", object);
    ASSERT_FALSE(request) << object;
    EXPECT_EQ(request.error().code(), base::Errc::bad_value);
    EXPECT_EQ(request.error().path(), "/apis/ray.io/v1/namespaces/team-a/rayclusters/x");
  }
}

TEST(RequestTest, remove_with_preconditions) {
  const Preconditions both{.version = "7", .uid = "u"};
  const Request request = remove(clusters, "x", both);
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(request.body, R"({"apiVersion":"v1","kind":"DeleteOptions",)"
                          R"("preconditions":{"uid":"u","resourceVersion":"7"}})");
  EXPECT_EQ(remove(clusters, "x", {}).body, R"({"apiVersion":"v1","kind":"DeleteOptions"})");
}

}  // namespace
}  // namespace tpuwh::server::kube::client
