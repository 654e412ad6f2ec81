#include "kubectl/print/shell_command.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace tpuwh::server::print {
namespace {

// What a shell makes of it: the arguments, one a line.
std::string arguments(const ShellCommand& command) {
  std::string out;
  std::array<char, 4096> part{};
  FILE* shell = popen(command.text().c_str(), "r");
  while (const std::size_t size = fread(part.data(), 1, part.size(), shell))
    out.append(part.data(), size);
  EXPECT_EQ(pclose(shell), 0) << command.text();
  return out;
}

TEST(AShellCommand, prints_words_as_they_are) {
  EXPECT_EQ(ShellCommand("kubectl -n").name("ml").words("get pods").arg("a/b,c=d:e@%+_.-").text(),
            "kubectl -n ml get pods a/b,c=d:e@%+_.-");
}

TEST(AShellCommand, gives_a_shell_the_arguments_that_are_meant) {
  const std::vector<std::string> names = {
      "job; touch x #", "$(touch x)",    "`touch x`", "it's", "''", "a b", "\\", "*", "~", "!!",
      "a\"b",           "'\"$(touch x)", "é",         "&",    "<x>"};
  for (const std::string& name : names)
    EXPECT_EQ(arguments(ShellCommand("printf '%s\\n' get").arg(name).arg("--name=", name)),
              "get\n" + name + "\n--name=" + name + "\n");
}

TEST(AShellCommand, is_none_where_no_quoting_helps) {
  for (const char* name :
       {"", "-rf", "--all", "a\nb", "a\rb", "\033[2K", "\u202e", "\u2066", "\xff", "\xc2\x9b"})
    EXPECT_EQ(ShellCommand("kubectl get").arg(name).words("-o yaml").text(), "") << name;
  EXPECT_EQ(ShellCommand("kubectl get").arg("--name=", "-rf").text(), "kubectl get --name=-rf");
}

TEST(AShellCommand, takes_only_what_kubernetes_calls_something_for_a_name) {
  EXPECT_EQ(ShellCommand("kubectl delete").name("pod").name("a.b_c-1").text(),
            "kubectl delete pod a.b_c-1");
  for (const char* name : {"", "pods,secrets", "secret/x", "a=b", "a b", "-a", ".a", "é"})
    EXPECT_EQ(ShellCommand("kubectl delete").name(name).arg("x").text(), "") << name;
}

}  // namespace
}  // namespace tpuwh::server::print
