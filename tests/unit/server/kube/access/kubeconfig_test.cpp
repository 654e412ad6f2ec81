#include "server/kube/access/api_config.hpp"
#include "server/kube/access/errc.hpp"
#include "server/text/base64.hpp"
#include "tests/support/named_case.hpp"
#include "tests/unit/server/kube/access/folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tpuwh::server::kube::access {
namespace {

using test::case_name;
using test::PrintTo;

// A kubeconfig with one cluster and one user, whose members are given as flow YAML.
std::string kubeconfig(const std::string& cluster, const std::string& user) {
  return fmt::format(R"(apiVersion: v1
kind: Config
current-context: here
contexts:
- name: here
  context: {{cluster: c, user: u, namespace: team-a}}
clusters:
- name: c
  cluster: {{{}}}
users:
- name: u
  user: {{{}}}
)",
                     cluster, user);
}

const std::string server = "server: 'https://10.0.0.1:6443'";

class KubeconfigTest : public FolderTest {
 protected:
  Result<ApiConfig> read(const std::string& text, const std::string& context = {}) const {
    return kubeconfig_config({.file = write("config", text), .context = context});
  }
  std::string header(const std::string& user) const {
    const auto config = read(kubeconfig(server, user));
    if (!config) return config.error().message();
    const auto header = config->credentials->authorization({});
    return header ? *header : header.error().message();
  }
};

TEST_F(KubeconfigTest, is_read_into_its_parts) {
  const auto config = read(kubeconfig(
      fmt::format("server: 'https://[fd00::1]:6443/prefix/', tls-server-name: api.example, "
                  "certificate-authority-data: {}",
                  text::encode_base64(ca_pem)),
      "token: secret"));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->host, "fd00::1");
  EXPECT_EQ(config->port, "6443");
  EXPECT_EQ(config->base_path, "/prefix");
  EXPECT_TRUE(config->tls);
  EXPECT_EQ(config->tls_name, "api.example");
  EXPECT_EQ(config->ca_pem, ca_pem);
  EXPECT_EQ(config->ca_file, "");
  EXPECT_EQ(config->ns, "team-a");
  EXPECT_EQ(config->source, "context \"here\" of " + path("config"));
  EXPECT_EQ(*config->credentials->authorization({}), "Bearer secret");
}

TEST_F(KubeconfigTest, may_be_json) {
  const auto config = read(R"({"current-context": "x",
    "contexts": [{"name": "x", "context": {"cluster": "c"}}],
    "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:8001"}}]})");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_FALSE(config->tls);
  EXPECT_EQ(config->ns, "default");
  EXPECT_EQ(*config->credentials->authorization({}), "");
}

TEST_F(KubeconfigTest, reads_files_from_its_own_folder) {
  write("pki/ca.pem", ca_pem);
  write("pki/me.pem", cert_pem);
  write("pki/me.key", key_pem);
  const auto config = read(kubeconfig(server + ", certificate-authority: pki/ca.pem",
                                      "client-certificate: pki/me.pem, client-key: ./pki/me.key"));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->ca_pem, ca_pem);
  EXPECT_EQ(config->ca_file, path("pki/ca.pem"));
  EXPECT_EQ(config->client, (ClientCertificate{cert_pem, key_pem}));
  EXPECT_EQ(config->client_cert_file, path("pki/me.pem"));
  EXPECT_EQ(config->client_key_file, path("pki/me.key"));
  EXPECT_TRUE(config->credentials->certificate().empty());
}

TEST_F(KubeconfigTest, data_comes_before_the_file) {
  const auto config = read(
      kubeconfig(fmt::format("{}, certificate-authority: /nowhere, certificate-authority-data: {}",
                             server, text::encode_base64(ca_pem)),
                 fmt::format("client-certificate: /nowhere, client-key: /nowhere, "
                             "client-certificate-data: {}, client-key-data: {}",
                             text::encode_base64(cert_pem), text::encode_base64(key_pem))));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->ca_pem, ca_pem);
  EXPECT_EQ(config->client, (ClientCertificate{cert_pem, key_pem}));
  EXPECT_EQ(config->client_key_file, "");
}

TEST_F(KubeconfigTest, knows_each_kind_of_credential) {
  write("token", "of-the-file\n");
  EXPECT_EQ(header(""), "");
  EXPECT_EQ(header("token: secret"), "Bearer secret");
  EXPECT_EQ(header("tokenFile: token"), "Bearer of-the-file");
  EXPECT_EQ(header("tokenFile: token, token: secret"), "Bearer of-the-file");
  EXPECT_EQ(header("tokenFile: gone, token: secret"), "Bearer secret");
  EXPECT_EQ(header("username: me, password: pw"), "Basic bWU6cHc=");
  EXPECT_EQ(header("token: secret, exec: {command: never-run}"), "Bearer secret");
}

TEST_F(KubeconfigTest, an_empty_field_says_nothing) {
  const auto config = read(kubeconfig(server + ", proxy-url: '', certificate-authority: ''",
                                      "token: '', as: '', as-groups: [], as-user-extra: {}"));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(*config->credentials->authorization({}), "");
}

TEST_F(KubeconfigTest, the_first_file_to_name_a_thing_wins) {
  const std::string one = write("a/one", R"(
current-context: second
contexts:
- {name: first, context: {cluster: both, user: both}}
users:
- {name: both, user: {tokenFile: token}}
)");
  write("a/token", "of-a");
  const std::string two = write("b/two", R"(
current-context: first
contexts:
- {name: first, context: {cluster: none}}
- {name: second, context: {cluster: both, user: both}}
clusters:
- {name: both, cluster: {server: 'https://b'}}
users:
- {name: both, user: {token: of-b}}
)");
  const KubeconfigChoice choice{.variable = one + "::" + path("gone") + ":" + two};
  const auto config = kubeconfig_config(choice);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->host, "b");
  EXPECT_EQ(config->source, "context \"second\" of " + one + ":" + two);
  EXPECT_EQ(*config->credentials->authorization({}), "Bearer of-a");
}

TEST_F(KubeconfigTest, a_flag_comes_before_the_variable_before_the_home_folder) {
  const auto at = [&](const std::string& name, const std::string& host) {
    return write(name, kubeconfig("server: 'https://" + host + "'", ""));
  };
  const std::string flag = at("flag", "flag"), variable = at("variable", "variable");
  at(".kube/config", "home");
  EXPECT_EQ(kubeconfig_config({.file = flag, .variable = variable, .home = folder_})->host, "flag");
  EXPECT_EQ(kubeconfig_config({.variable = variable, .home = folder_})->host, "variable");
  EXPECT_EQ(kubeconfig_config({.home = folder_})->host, "home");
}

TEST_F(KubeconfigTest, says_where_it_looked_when_there_is_none) {
  const auto message = [](const KubeconfigChoice& choice) {
    return kubeconfig_config(choice).error().message();
  };
  EXPECT_EQ(
      message({.file = "/nowhere"}),
      "no kubeconfig: --kubeconfig names /nowhere, which does not exist; expected an existing "
      "file, from --kubeconfig, $KUBECONFIG or ~/.kube/config");
  EXPECT_NE(message({.variable = "/no:/where"}).find("$KUBECONFIG names /no:/where"),
            std::string::npos);
  EXPECT_NE(message({.home = "/nowhere"}).find("/nowhere/.kube/config"), std::string::npos);
  EXPECT_NE(message({}).find("$HOME, which is empty"), std::string::npos);
}

struct WrongKubeconfig {
  const char* name;
  std::string cluster;
  std::string user;
  const char* want;  // with '@' for "/path/config"
  const char* context = "";
};

class KubeconfigWrong : public KubeconfigTest,
                        public testing::WithParamInterface<WrongKubeconfig> {};

TEST_P(KubeconfigWrong, says_what_and_where) {
  const auto config = read(kubeconfig(GetParam().cluster, GetParam().user), GetParam().context);
  ASSERT_FALSE(config);
  std::string message = config.error().message();
  if (const auto at = message.find(path("config")); at != std::string::npos)
    message.replace(at, path("config").size(), "@");
  EXPECT_EQ(message.substr(0, std::string(GetParam().want).size()), GetParam().want);
  EXPECT_EQ(config.error().code(), kube::access::Errc::api_access);
}

const std::string ca_data = ", certificate-authority-data: " + text::encode_base64(ca_pem);

const WrongKubeconfig wrong_kubeconfigs[] = {
    {"unknown_context", server, "", "@: no context is named \"x\"; expected one of here", "x"},
    {"no_server", "", "", "@:9: clusters[0].cluster.server: \"\" does not begin with https://"},
    {"bad_server", "server: 10.0.0.1", "",
     "@:9: clusters[0].cluster.server: \"10.0.0.1\" does not begin with https://"},
    {"ca_and_insecure", server + ", insecure-skip-tls-verify: true" + ca_data, "",
     "@:9: clusters[0].cluster.insecure-skip-tls-verify: is given together with "
     "certificate-authority, "
     "which would be ignored; expected one of the two"},
    {"insecure_no_boolean", server + ", insecure-skip-tls-verify: 'true'", "",
     "@:9: clusters[0].cluster.insecure-skip-tls-verify: expected true or false, got string"},
    {"ca_missing", server + ", certificate-authority: /nowhere/ca", "",
     "@:9: clusters[0].cluster.certificate-authority: cannot read /nowhere/ca: No such file"},
    {"ca_no_base64", server + ", certificate-authority-data: '*'", "",
     "@:9: clusters[0].cluster.certificate-authority-data: is not valid base64; expected PEM in "
     "base64"},
    {"ca_no_pem", server + ", certificate-authority-data: aGVsbG8=", "",
     "@:9: clusters[0].cluster.certificate-authority-data: expected PEM, -----BEGIN "
     "CERTIFICATE-----"},
    {"proxy", server + ", proxy-url: 'http://proxy:3128'", "",
     "@:9: clusters[0].cluster.proxy-url: is not supported; run this where"},
    {"auth_provider", server, "auth-provider: {name: gcp}",
     "@:12: users[0].user.auth-provider: is not supported; Kubernetes 1.26 removed it: use a token "
     "or, in kubectl-tpu, exec"},
    {"impersonation", server, "token: x, as: somebody",
     "@:12: users[0].user.as: is not supported; use the credentials of that user"},
    {"token_number", server, "token: 12345",
     "@:12: users[0].user.token: expected a string, got number; put it in quotes"},
    {"token_with_blank", server, "token: a b",
     "@:12: users[0].user.token: holds blanks or control characters"},
    {"token_and_password", server, "token: a, username: b",
     "@:12: users[0].user.username: is given together with a token; expected one of the two"},
    {"certificate_without_key", server, "client-certificate-data: " + text::encode_base64(cert_pem),
     "@:12: users[0].user: a client-certificate without its client-key; expected both"},
    {"key_without_certificate", server, "client-key-data: " + text::encode_base64(key_pem),
     "@:12: users[0].user: a client-key without its client-certificate; expected both"},
    {"exec", server, "exec: {command: x, apiVersion: client.authentication.k8s.io/v1}",
     "@:12: users[0].user.exec: is not supported by this program, which starts no other; use a "
     "token, a client certificate or, in a Pod, its service account"},
    {"exec_beside_a_certificate", server,
     fmt::format("exec: {{command: x}}, client-certificate-data: {}, client-key-data: {}",
                 text::encode_base64(cert_pem), text::encode_base64(key_pem)),
     "@:12: users[0].user.exec: is not supported by this program"},
};
INSTANTIATE_TEST_SUITE_P(Kubeconfig, KubeconfigWrong, testing::ValuesIn(wrong_kubeconfigs),
                         case_name);

struct Broken {
  const char* name;
  const char* text;
  const char* want;
};

class KubeconfigBroken : public KubeconfigTest, public testing::WithParamInterface<Broken> {};

TEST_P(KubeconfigBroken, says_what_and_where) {
  const auto config = read(GetParam().text);
  ASSERT_FALSE(config);
  const auto message = config.error().message();
  EXPECT_EQ(message.substr(0, message.find(';')), path("config") + GetParam().want);
}

constexpr Broken broken[] = {
    {"no_yaml", "a: [", ":1: not YAML: end of sequence flow not found"},
    {"no_mapping", "- a",
     ": expected a kubeconfig, a mapping of clusters, users and contexts, got array"},
    {"empty", "", ": no context is named \"\""},
    {"twice", "clusters:\n- name: a\n- name: a\n",
     ":3: clusters[1].name: \"a\" is in this list twice"},
    {"no_list", "users: {}", ":1: users: expected a list, got object"},
    {"name_no_string", "users:\n- name: 1", ":2: users[0].name: expected a string, got number"},
    {"item_no_mapping", "users: [a]", ":1: users[0]: expected a mapping, got string"},
    {"no_current", "contexts: [{name: a}, {name: b}]", ": there is no current-context"},
    {"no_such_current", "current-context: c\ncontexts: [{name: a}, {name: b}]",
     ": no context is named \"c\""},
    {"no_such_cluster", "current-context: a\ncontexts:\n- name: a\n  context: {cluster: x}",
     ":4: no cluster is named \"x\""},
    {"no_such_user",
     "current-context: a\ncontexts:\n- name: a\n  context: {cluster: x, user: z}\n"
     "clusters: [{name: x, cluster: {server: 'https://a'}}]",
     ":4: no user is named \"z\""},
};
INSTANTIATE_TEST_SUITE_P(Kubeconfig, KubeconfigBroken, testing::ValuesIn(broken), case_name);

}  // namespace
}  // namespace tpuwh::server::kube::access
