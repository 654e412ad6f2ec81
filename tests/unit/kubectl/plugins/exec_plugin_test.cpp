#include "kubectl/plugins/exec_plugin.hpp"

#include "kubectl/plugins/exec_user.hpp"
#include "kubectl/text/rfc3339.hpp"
#include "server/kube/access/api_config.hpp"
#include "tests/unit/server/kube/access/folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace tpuwh::server::plugins {
namespace {

using namespace std::chrono_literals;
using kube::access::cert_pem;
using kube::access::ClientCertificate;
using kube::access::FolderTest;
using kube::access::key_pem;
using kube::access::kubeconfig_config;

const ExecPlugin::Time plugin_start{1h};
constexpr auto plugin_v1 = "client.authentication.k8s.io/v1";

// Plugins are shell scripts that count in the file `runs` how often they were run.
class ExecPluginTest : public FolderTest {
 protected:
  std::string script(const std::string& body) const {
    const std::string file =
        write("plugin", "#!/bin/sh\necho x >> " + path("runs") + "\n" + body + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  std::string prints(const std::string& status) const {
    return script(
        fmt::format(R"(echo '{{"apiVersion": "{}", "kind": "ExecCredential", "status": {}}}')",
                    plugin_v1, status));
  }
  ExecPlugin::Options options(const std::string& command) const {
    ExecPlugin::Options options;
    options.command = command;
    options.api_version = plugin_v1;
    options.where = "/config:12";
    return options;
  }
  std::string error(ExecPlugin::Options options) const {
    const auto header = ExecPlugin(std::move(options)).authorization(plugin_start);
    return header ? "" : header.error().message();
  }
  std::size_t runs() const {
    std::ifstream in(path("runs"));
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, 'x'));
  }
};

TEST_F(ExecPluginTest, is_run_once_for_a_token_without_end) {
  ExecPlugin plugin(options(prints(R"({"token": "t"})")));
  EXPECT_EQ(*plugin.authorization(plugin_start), "Bearer t");
  EXPECT_EQ(*plugin.authorization(plugin_start + 1000h), "Bearer t");
  EXPECT_TRUE(plugin.certificate().empty());
  EXPECT_EQ(runs(), 1u);
}

TEST_F(ExecPluginTest, is_run_again_when_the_token_expires) {
  auto chosen = options(prints(R"({"token": "t", "expirationTimestamp": "2026-11-20T10:00:00Z"})"));
  chosen.wall_clock = [] { return *text::parse_time("2026-11-20T09:00:00Z"); };
  ExecPlugin plugin(chosen);
  EXPECT_EQ(*plugin.authorization(plugin_start), "Bearer t");
  EXPECT_EQ(*plugin.authorization(plugin_start + 59min), "Bearer t");
  EXPECT_EQ(runs(), 1u);
  EXPECT_EQ(*plugin.authorization(plugin_start + 60min), "Bearer t");
  EXPECT_EQ(runs(), 2u);
}

TEST_F(ExecPluginTest, a_token_that_expired_already_is_used_once) {
  ExecPlugin plugin(
      options(prints(R"({"token": "t", "expirationTimestamp": "2001-01-01T00:00:00Z"})")));
  EXPECT_EQ(*plugin.authorization(plugin_start), "Bearer t");
  EXPECT_EQ(*plugin.authorization(plugin_start), "Bearer t");
  EXPECT_EQ(runs(), 2u);
}

TEST_F(ExecPluginTest, a_token_of_another_millennium_is_kept) {
  ExecPlugin plugin(
      options(prints(R"({"token": "t", "expirationTimestamp": "2261-01-01T00:00:00Z"})")));
  EXPECT_EQ(*plugin.authorization(plugin_start), "Bearer t");
  EXPECT_EQ(*plugin.authorization(plugin_start + 1h), "Bearer t");
  EXPECT_EQ(runs(), 1u);
}

TEST_F(ExecPluginTest, is_run_again_after_401) {
  ExecPlugin plugin(options(prints(R"({"token": "t"})")));
  EXPECT_TRUE(plugin.authorization(plugin_start));
  plugin.rejected();
  EXPECT_TRUE(plugin.authorization(plugin_start));
  EXPECT_EQ(runs(), 2u);
}

TEST_F(ExecPluginTest, may_bring_a_certificate_alone) {
  nlohmann::json status = {{"clientCertificateData", cert_pem}, {"clientKeyData", key_pem}};
  const std::string answer = write(
      "answer",
      nlohmann::json{{"apiVersion", plugin_v1}, {"kind", "ExecCredential"}, {"status", status}}
          .dump());
  ExecPlugin plugin(options(script("cat " + answer)));
  EXPECT_EQ(*plugin.authorization(plugin_start), "");
  EXPECT_EQ(plugin.certificate(), (ClientCertificate{cert_pem, key_pem}));
  EXPECT_EQ(runs(), 1u);
}

TEST_F(ExecPluginTest, gets_arguments_variables_and_no_shell) {
  auto chosen =
      options(script("printf '%s|%s|%s|%s' \"$1\" \"$2\" \"$FROM\" "
                     "\"$KUBERNETES_EXEC_INFO\" > " +
                     path("seen") + "; exit 1"));
  chosen.args = {"a b", "$(id)"};
  chosen.env = {{"FROM", "old"}, {"FROM", "new"}};
  error(chosen);
  std::ifstream in(path("seen"));
  const std::string seen{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(seen, "a b|$(id)|new|" + exec_info(plugin_v1, nullptr));
}

TEST_F(ExecPluginTest, that_fails_is_named_with_its_exit_code) {
  const auto plugin = script("exit 3");
  EXPECT_EQ(error(options(plugin)),
            "/config:12: exec plugin " + plugin +
                " exited with 3; expected 0; its output is on standard error");
  EXPECT_NE(
      error(options(script("kill -TERM $$"))).find("was terminated by signal 15 (Terminated)"),
      std::string::npos);
}

TEST_F(ExecPluginTest, that_hangs_is_killed_with_its_children) {
  auto chosen = options(script("sleep 1000 & echo $! > " + path("child") + "; wait"));
  chosen.time_limit = 300ms;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_NE(error(chosen).find("did not finish within 300 ms and was killed"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 30s);
  int child = 0;
  std::ifstream(path("child")) >> child;
  ASSERT_GT(child, 0);
  const auto gone = [&] {  // or a zombie that nobody has asked for
    std::ifstream stat(fmt::format("/proc/{}/stat", child));
    std::string text{std::istreambuf_iterator<char>(stat), {}};
    return text.empty() || text.find(") Z") != std::string::npos;
  };
  for (int i = 0; i < 1000 && !gone(); ++i) usleep(10'000);
  EXPECT_TRUE(gone());
}

TEST_F(ExecPluginTest, that_prints_too_much_is_killed) {
  auto chosen = options(script("yes"));
  chosen.output_limit = 10'000;
  EXPECT_NE(error(chosen).find("printed more than 10000 bytes and was killed"), std::string::npos);
}

TEST_F(ExecPluginTest, that_leaves_a_child_behind_is_not_waited_for) {
  auto chosen = options(script("sleep 20 &\necho '" +
                               nlohmann::json{{"apiVersion", plugin_v1},
                                              {"kind", "ExecCredential"},
                                              {"status", {{"token", "t"}}}}
                                   .dump() +
                               "'"));
  chosen.time_limit = 15s;
  EXPECT_EQ(error(chosen), "");
}

TEST_F(ExecPluginTest, that_is_missing_comes_with_the_hint) {
  auto chosen = options("tpuwh-no-such-plugin");
  EXPECT_EQ(error(chosen),
            "/config:12: exec plugin tpuwh-no-such-plugin cannot be started: No such file or "
            "directory; it is not in $PATH; install it, or use another user");
  chosen.install_hint = "Install gke-gcloud-auth-plugin.";
  EXPECT_NE(error(chosen).find("; Install gke-gcloud-auth-plugin."), std::string::npos);
  EXPECT_NE(error(options(write("plain", "text"))).find("cannot be started: Permission denied"),
            std::string::npos);
}

TEST_F(ExecPluginTest, that_prints_something_else_is_not_quoted) {
  const auto message = error(options(script("echo secret")));
  EXPECT_NE(message.find("printed 7 bytes that are not JSON"), std::string::npos) << message;
  EXPECT_EQ(message.find("secret"), std::string::npos);
}

TEST_F(ExecPluginTest, is_found_beside_its_kubeconfig_and_told_the_cluster) {
  script("printf '%s' \"$KUBERNETES_EXEC_INFO\" > " + path("seen") + R"(
echo '{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential",
       "status": {"token": "t"}}')");
  const kube::access::KubeconfigChoice choice{.file = write("config", R"(
current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters:
- name: c
  cluster:
    server: https://10.0.0.1
    insecure-skip-tls-verify: true
    extensions:
    - {name: client.authentication.k8s.io/exec, extension: {audience: x}}
users:
- name: u
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./plugin,
           provideClusterInfo: true, args: null, env: null}
)")};
  const auto config = kubeconfig_config(choice, exec_credentials);
  ASSERT_TRUE(config) << config.error().message();
  const auto header = config->credentials->authorization(plugin_start);
  ASSERT_TRUE(header) << header.error().message();
  EXPECT_EQ(*header, "Bearer t");
  std::ifstream in(path("seen"));
  const auto seen = nlohmann::json::parse(in);
  EXPECT_EQ(seen["spec"]["cluster"], nlohmann::json::parse(R"({"server": "https://10.0.0.1",
      "insecure-skip-tls-verify": true, "config": {"audience": "x"}})"));
}

}  // namespace
}  // namespace tpuwh::server::plugins
