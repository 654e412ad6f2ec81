#include "server/kube/access/api_config.hpp"

#include "tests/unit/server/kube/access/folder.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::access {
namespace {

class InClusterTest : public FolderTest {
 protected:
  InClusterTest() {
    write("token", "secret\n");
    write("ca.crt", ca_pem);
    write("namespace", "tpu-webhook-system\n");
    access_ = {.host = "10.0.0.1", .port = "443", .service_account = folder_};
  }
  std::string error() const {
    const auto config = in_cluster_config(access_);
    return config ? "" : config.error().message();
  }
  PodAccess access_;
};

TEST_F(InClusterTest, is_what_the_service_account_says) {
  const auto config = in_cluster_config(access_);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->host, "10.0.0.1");
  EXPECT_EQ(config->port, "443");
  EXPECT_EQ(config->base_path, "");
  EXPECT_TRUE(config->tls);
  EXPECT_FALSE(config->insecure);
  EXPECT_EQ(config->tls_name, "10.0.0.1");
  EXPECT_EQ(config->ca_pem, ca_pem);
  EXPECT_EQ(config->ca_file, path("ca.crt"));
  EXPECT_EQ(config->ns, "tpu-webhook-system");
  EXPECT_EQ(config->source, "the Pod's service account");
  EXPECT_EQ(*config->credentials->authorization({}), "Bearer secret");
}

TEST_F(InClusterTest, takes_ipv6_without_brackets) {
  access_.host = "fd00::1";
  const auto config = in_cluster_config(access_);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->host, "fd00::1");
  EXPECT_EQ(config->tls_name, "fd00::1");
}

TEST_F(InClusterTest, without_a_namespace_is_in_default) {
  std::filesystem::remove(path("namespace"));
  EXPECT_EQ(in_cluster_config(access_)->ns, "default");
}

TEST_F(InClusterTest, without_variables_is_no_pod) {
  access_.host = access_.port = "";
  EXPECT_EQ(error(),
            "KUBERNETES_SERVICE_HOST is \"\" and KUBERNETES_SERVICE_PORT is \"\": not running in "
            "a Pod; pass --kubeconfig");
}

TEST_F(InClusterTest, refuses_a_host_that_is_none) {
  access_.host = "[fd00::1]";
  EXPECT_NE(error().find("are not a host and port; expected an IP address"), std::string::npos);
}

TEST_F(InClusterTest, says_what_is_missing) {
  std::filesystem::remove(path("token"));
  EXPECT_EQ(error(), "cannot read " + path("token") +
                         ": No such file or directory; expected a service account in this Pod: "
                         "see automountServiceAccountToken of the Pod and of the account");
  write("ca.crt", "nothing");
  EXPECT_NE(error().find("ca.crt has no PEM block; expected -----BEGIN CERTIFICATE-----"),
            std::string::npos);
}

TEST_F(InClusterTest, gives_way_to_a_kubeconfig_that_was_asked_for) {
  EXPECT_EQ(find_api_config({}, access_)->source, "the Pod's service account");
  EXPECT_FALSE(find_api_config({.file = "/nowhere"}, access_));
  EXPECT_FALSE(find_api_config({.variable = "/nowhere"}, access_));
  EXPECT_FALSE(find_api_config({.context = "x"}, access_));
}

}  // namespace
}  // namespace tpuwh::server::kube::access
