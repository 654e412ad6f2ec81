#include "server/kube/access/api_config.hpp"

#include "tests/support/folder.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::access {
namespace {

class InClusterTest : public test::FolderTest {
 protected:
  InClusterTest() {
    write("token", "secret\n");
    write("ca.crt", "a certificate");
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
  EXPECT_EQ(config->ca_file, path("ca.crt"));
  EXPECT_EQ(config->token_file, path("token"));
  EXPECT_EQ(config->ns, "tpu-webhook-system");
  EXPECT_EQ(config->source, "the Pod's service account");
  EXPECT_FALSE(config->connect);
}

TEST_F(InClusterTest, without_a_namespace_is_in_default) {
  std::filesystem::remove(path("namespace"));
  EXPECT_EQ(in_cluster_config(access_)->ns, "default");
}

TEST_F(InClusterTest, without_variables_is_no_pod) {
  access_.host = access_.port = "";
  EXPECT_EQ(
      error(),
      "KUBERNETES_SERVICE_HOST is \"\" and KUBERNETES_SERVICE_PORT is \"\"; expected both to be "
      "set, as in every Pod");
}

TEST_F(InClusterTest, says_what_is_missing) {
  const auto without = [this](const char* file) {
    std::filesystem::remove(path(file));
    return "cannot read " + path(file) +
           ": No such file or directory; expected a mounted ServiceAccount token and CA: check "
           "automountServiceAccountToken of the Pod and of its ServiceAccount";
  };
  const std::string no_token = without("token");
  EXPECT_EQ(error(), no_token);
  const std::string no_ca = without("ca.crt");
  EXPECT_EQ(error(), no_ca);
}

}  // namespace
}  // namespace tpuwh::server::kube::access
