#include "kubectl/plugins/exec_user.hpp"

#include "tests/support/named_case.hpp"
#include "tests/unit/server/kube/access/folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::plugins {
namespace {

using test::case_name;
using test::PrintTo;

struct WrongExec {
  const char* name;
  const char* exec;  // of the user, as flow YAML
  const char* want;  // after the place
};

class ExecUserWrong : public kube::access::FolderTest,
                      public testing::WithParamInterface<WrongExec> {};

TEST_P(ExecUserWrong, is_refused_with_its_place) {
  const kube::access::KubeconfigChoice choice{.file =
                                                  write("config", fmt::format(R"(
current-context: a
contexts: [{{name: a, context: {{cluster: c, user: u}}}}]
clusters: [{{name: c, cluster: {{server: 'https://10.0.0.1'}}}}]
users:
- name: u
  user: {{exec: {}}}
)",
                                                                              GetParam().exec))};
  const auto config = kube::access::kubeconfig_config(choice, exec_credentials);
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(),
              testing::StartsWith(
                  fmt::format("{}:7: users[0].user.exec.{}", path("config"), GetParam().want)));
}

constexpr WrongExec wrong_execs[] = {
    {"no_version", "{command: x}",
     "apiVersion: is \"\"; expected client.authentication.k8s.io/v1 or"},
    {"alpha", "{command: x, apiVersion: client.authentication.k8s.io/v1alpha1}",
     "apiVersion: is \"client.authentication.k8s.io/v1alpha1\"; expected"},
    {"no_command", "{apiVersion: client.authentication.k8s.io/v1}",
     "command: is missing; expected the plugin's path"},
    {"terminal",
     "{command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always}",
     "interactiveMode: is Always, but plugins run without a terminal"},
    {"mode", "{command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Often}",
     "interactiveMode: is \"Often\"; expected Never, IfAvailable or Always"},
    {"args", "{command: x, apiVersion: client.authentication.k8s.io/v1, args: [1]}",
     "args: expected a list of strings"},
    {"env", "{command: x, apiVersion: client.authentication.k8s.io/v1, env: [{name: 1}]}",
     "env[0].name: expected a string, got number"},
};
INSTANTIATE_TEST_SUITE_P(table, ExecUserWrong, testing::ValuesIn(wrong_execs), case_name);

}  // namespace
}  // namespace tpuwh::server::plugins
