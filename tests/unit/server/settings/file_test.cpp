// What the server reads of a configuration file, which is JSON, and what it says of a wrong one.
#include "server/settings/file.hpp"
#include "server/settings/layers.hpp"
#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tpuwh::server::settings {
namespace {

using test::case_name;
using test::PrintTo;
using testing::HasSubstr;

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> out;
  for (const Problem& problem : parse_config(text, "f").problems) out.push_back(problem.text());
  return out;
}

TEST(ServerConfigTest, json_is_read) {
  const ConfigFile file = parse_config(
      "{\"$schema\": \"./s.json\", \"basePort\": 9000, \"tls\": null,\n"
      " \"perWorkload\": {\"lws\": {\"mode\": \"shadow\"}}, \"findings\": {\"TPU-405\": false}}",
      "f");
  EXPECT_EQ(lines_of(file.problems), "");
  const webhook::config::Config config = combine(file.given).options.webhook;
  EXPECT_EQ(config.base_port, 9000);
  EXPECT_EQ(config.mode_for(webhook::config::WorkloadKind::lws), webhook::config::Mode::shadow);
  EXPECT_EQ(config.level_of(webhook::findings::Finding::job_too_few, "a"),
            webhook::findings::Level::off);
}

TEST(ServerConfigTest, every_problem_is_reported) {
  EXPECT_THAT(
      problems_of(R"({"mode": false, "log": {"level": "info", "level": "warn"}, "threds": 1})"),
      testing::ElementsAre("f: mode: expected enforce|shadow, got false",
                           HasSubstr("f: threds: unknown key; expected listen, healthListen"),
                           "f: log.level: duplicate key"));
}

struct NoJson {
  const char* name;
  std::string text;
  const char* want;
};
class NoJsonTest : public testing::TestWithParam<NoJson> {};

TEST_P(NoJsonTest, is_refused_with_the_command_that_converts) {
  const auto found = problems_of(GetParam().text);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found.front(), testing::StartsWith("f: "));
  EXPECT_THAT(found.front(), HasSubstr(GetParam().want));
  EXPECT_THAT(found.front(), HasSubstr("kubectl tpu config print --config FILE --output json"));
}

INSTANTIATE_TEST_SUITE_P(
    table, NoJsonTest,
    testing::Values(NoJson{"yaml", "mode: shadow\n", "not JSON"},
                    NoJson{"yaml_in_braces", "{mode: shadow}", "not JSON"},
                    NoJson{"nothing", "", "not JSON"}, NoJson{"half", R"({"mode": )", "not JSON"},
                    NoJson{"a_number_that_is_none", R"({"threads": 01})", "not JSON"},
                    NoJson{"no_utf8", "{\"\xff\": 1}", "not JSON"},
                    NoJson{"too_deep", std::string(100000, '['), "not JSON"}),
    case_name);

TEST(ServerConfigTest, a_file_that_cannot_be_read_is_a_problem) {
  std::istringstream in("\"" + std::string(limits::config_bytes, 'x') + "\"");
  EXPECT_THAT(lines_of(read_config(in, "f").problems),
              HasSubstr("f: is larger than 1048576 bytes"));
  EXPECT_THAT(lines_of(read_config("/").problems), HasSubstr("Is a directory"));
  EXPECT_THAT(lines_of(read_config("/no/such").problems), HasSubstr("/no/such: No such file"));
}

TEST(ServerConfigTest, a_check_reports_contradictions) {
  std::istringstream in(R"({"tls": {"cert": "a"}})");
  EXPECT_EQ(lines_of(check_config("-", in).problems),
            "standard input: tls.cert: also needs its key: tls.key or --tls-key");
}

}  // namespace
}  // namespace tpuwh::server::settings
