#include "kubectl/fixes/command.hpp"

#include "kubectl/fixes/fix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::fixes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Command, has_no_verb_that_ends_something) {
  for (const Verb verb : {Verb::get, Verb::describe, Verb::list, Verb::create, Verb::update,
                          Verb::patch, Verb::edit, Verb::uncordon})
    for (const char* other : {"delete", "drain", "evict", "restart", "scale", "replace", "rollout"})
      EXPECT_THAT(name(verb), Not(HasSubstr(other)));
}

TEST(Command, is_a_value_and_a_text) {
  const Command get = Command::kubectl(Verb::get, "ml").of("job", "train").words("-o yaml");
  EXPECT_EQ(get.text(), "kubectl -n ml get job train -o yaml");
  EXPECT_EQ(json(get), Json({{"verb", "get"},
                             {"object", "job train"},
                             {"arguments", {"-n", "ml", "-o yaml"}},
                             {"text", "kubectl -n ml get job train -o yaml"}}));
  const Command pool = Command::gcloud(
      {{"gcloud", "container", "node-pools", "create", "a", "--cluster=$CLUSTER", "--spot"}});
  EXPECT_EQ(pool.verb(), Verb::create);
  EXPECT_EQ(pool.object(), "node-pools a");
  EXPECT_EQ(pool.arguments(), (std::vector<std::string>{"--cluster=$CLUSTER", "--spot"}));
}

TEST(Command, is_none_with_a_name_that_is_none) {
  EXPECT_EQ(Command::kubectl(Verb::get, "ml").of("job", "a;b").text(), "");
  EXPECT_EQ(Command::kubectl(Verb::get, "$(x)").of("job", "train").text(), "");
}

TEST(Command, makes_an_object_that_a_shell_leaves_alone) {
  const Command made = Command::create({{"kind", "Service"}, {"metadata", {{"name", "$(x)'"}}}});
  EXPECT_EQ(
      made.text(),
      "printf '%s\\n' '\nkind: Service\nmetadata:\n  name: $(x)'\\''\n' | kubectl create -f -");
  EXPECT_EQ(Command::create({{"kind", "Service"}, {"metadata", {{"name", "a\x1b[2J"}}}})
                .text()
                .find('\x1b'),
            std::string::npos);
}

}  // namespace
}  // namespace tpuwh::server::fixes
