// A file of rules that changes, breaks and is mended.
#include "server/serve/app/rules_watch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tpuwh::server::app {
namespace {

class RulesWatchTest : public testing::Test {
 protected:
  RulesWatchTest() {
    std::string name = (std::filesystem::temp_directory_path() / "rules-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    write(rule("a"));
  }
  ~RulesWatchTest() override { std::filesystem::remove_all(folder_); }

  static std::string rule(const std::string& name) {
    return "rules:\n  - {name: " + name + ", namespaces: [x]}\n";
  }
  // As a mounted Secret changes: another file under the name.
  void write(const std::string& text) {
    std::ofstream(folder_ / "next") << text;
    std::filesystem::rename(folder_ / "next", folder_ / "rules.yaml");
  }
  RulesWatch watch() {
    webhook::rules::Rules first;
    first.list.push_back({.name = "a", .namespaces = {"x"}});
    return {(folder_ / "rules.yaml").string(),
            std::make_shared<const webhook::rules::Rules>(std::move(first))};
  }

  std::filesystem::path folder_;
};

TEST_F(RulesWatchTest, SaysNothingOfWhatIsTheSame) {
  RulesWatch watched = watch();
  EXPECT_FALSE(watched.poll());
  write(rule("a") + "# other words\n");
  EXPECT_FALSE(watched.poll());
}

TEST_F(RulesWatchTest, GivesNewRulesOnce) {
  RulesWatch watched = watch();
  write(rule("b"));
  const auto change = watched.poll();
  ASSERT_TRUE(change && change->rules);
  EXPECT_EQ(change->rules->list[0].name, "b");
  EXPECT_FALSE(watched.poll());
}

TEST_F(RulesWatchTest, SaysOnceWhatIsWrongAndThatItIsMended) {
  RulesWatch watched = watch();
  write("rules: 1\n");
  const auto broken = watched.poll();
  ASSERT_TRUE(broken && !broken->rules);
  EXPECT_NE(broken->error.find("rules.yaml:1: rules: expected a list of rules"), std::string::npos)
      << broken->error;
  EXPECT_FALSE(watched.poll());
  write("rules: 1\n\n");
  EXPECT_FALSE(watched.poll());
  std::filesystem::remove(folder_ / "rules.yaml");
  EXPECT_TRUE(watched.poll());
  write(rule("a"));
  const auto mended = watched.poll();
  EXPECT_TRUE(mended && mended->rules);
}

}  // namespace
}  // namespace tpuwh::server::app
