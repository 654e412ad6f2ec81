#include "server/cli/cli.hpp"

#include "server/settings/table.hpp"
#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace tpuwh::server::cli {
namespace {

using settings::Setting;
using test::case_name;
using test::PrintTo;

Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "tpu-webhook");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

// A value that the setting takes: its default.
std::string text_of(const Setting& setting) {
  const auto value = setting.get(settings::ServeOptions());
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  return value.at(0).get<std::string>();
}

TEST(CommandLineTest, serve_is_something_to_run) {
  const auto command = parse({"serve", "--listen", "127.0.0.1:0", "--threads", "2", "--drain-delay",
                              "0", "--tls-hostname", "a.b", "--tls-hostname", "::1"});
  EXPECT_TRUE(command.run);
  EXPECT_EQ(command.text, "");
}

TEST(CommandLineTest, help_has_an_example) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{{"--help"},
                                                                     {"serve", "-h"},
                                                                     {"review", "-h"},
                                                                     {"rules", "-h"},
                                                                     {"catalog", "-h"},
                                                                     {"slices", "-h"},
                                                                     {"audit", "-h"},
                                                                     {"ledger", "-h"},
                                                                     {"ledger", "list", "-h"},
                                                                     {"ledger", "release", "-h"},
                                                                     {"doctor", "-h"},
                                                                     {"config", "-h"},
                                                                     {"config", "check", "-h"},
                                                                     {"config", "print", "-h"},
                                                                     {"config", "schema", "-h"}}) {
    const auto command = parse(arguments);
    EXPECT_FALSE(command.run);
    EXPECT_NE(command.text.find("Example"), std::string::npos) << command.text;
  }
}

TEST(CommandLineTest, tells_its_version) {
  EXPECT_EQ(parse({"--version"}).text.rfind("tpu-webhook ", 0), 0u);
}

// What follows a flag's value is the command's own argument.
TEST(CommandLineTest, a_setting_takes_one_value) {
  for (const Setting& setting : settings::settings()) {
    if (setting.flag.empty() || setting.shape == settings::Shape::boolean) continue;
    const std::string value = text_of(setting);
    if (value.empty()) continue;  // a file's name: no flag of review
    if (setting.scope <= settings::Scope::decision) {
      EXPECT_TRUE(parse({"review", setting.flag.c_str(), value.c_str(), "pod.yaml"}).run)
          << setting.flag;
    }
    try {
      parse({"serve", setting.flag.c_str(), value.c_str(), "pod.yaml"});
      ADD_FAILURE() << setting.flag << " took two values";
    } catch (const settings::UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("pod.yaml")) << setting.flag;
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr(setting.flag)));
    }
  }
}

TEST(CommandLineTest, a_list_may_be_given_in_parts) {
  EXPECT_TRUE(parse({"review", "--workloads", "ray,job", "--workloads", "pod", "pod.yaml"}).run);
  EXPECT_TRUE(parse({"slices", "--annotation-prefix", "a.b", "train"}).run);
}

struct BadCase {
  const char* name;
  std::vector<const char*> arguments;
  const char* want;  // part of the one line
};

class BadCommandLineTest : public testing::TestWithParam<BadCase> {};

TEST_P(BadCommandLineTest, is_refused_in_one_line) {
  try {
    parse(GetParam().arguments);
    FAIL() << "accepted";
  } catch (const settings::UsageError& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find(GetParam().want), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(
    table, BadCommandLineTest,
    testing::Values(
        BadCase{.name = "nothing", .arguments = {}, .want = "subcommand"},
        BadCase{.name = "unknown_subcommand", .arguments = {"frob"}, .want = "not \"frob\""},
        BadCase{.name = "config_alone",
                .arguments = {"config"},
                .want = "one of check, print, schema; see tpu-webhook config --help"},
        BadCase{.name = "config_of_another_kind",
                .arguments = {"config", "chekc"},
                .want = "check, print, schema, not \"chekc\""},
        BadCase{.name = "no_file_to_check",
                .arguments = {"config", "check"},
                .want = "FILE is required"},
        BadCase{.name = "no_such_config",
                .arguments = {"serve", "--config", "/no/such"},
                .want = "/no/such: No such file"},
        BadCase{.name = "key_without_certificate",
                .arguments = {"serve", "--tls-key", "a"},
                .want = "--tls-key: needs its certificate"},
        BadCase{.name = "no_address",
                .arguments = {"serve", "--listen", "8443"},
                .want = "--listen: want ADDR:PORT"},
        BadCase{.name = "unknown_output",
                .arguments = {"review", "--output", "xml"},
                .want = "want text|json|diff|review|patch|object, not \"xml\""},
        BadCase{.name = "unknown_workload",
                .arguments = {"serve", "--workloads", "ray,slurm"},
                .want = "ray,lws,jobset,job,statefulset,pod, not \"slurm\""},
        BadCase{.name = "annotation_prefix_that_is_no_name",
                .arguments = {"serve", "--annotation-prefix", "a_b/"},
                .want = "DNS name"},
        BadCase{.name = "catalog_of_no_chips",
                .arguments = {"catalog", "v6e", "2x4", "-1"},
                .want = "CHIPS_PER_NODE: want a whole number above 0, not \"-1\""},
        BadCase{.name = "catalog_of_no_slices",
                .arguments = {"catalog", "v6e", "2x4", "--slices", "0"},
                .want = "--slices"},
        BadCase{.name = "catalog_with_a_shell_command",
                .arguments = {"catalog", "v6e", "2x4", "--reservation", "a;b"},
                .want = "--reservation: want a reservation's name or path, not \"a;b\""},
        BadCase{.name = "slices_of_a_file_and_a_cluster",
                .arguments = {"slices", "--cluster", "a.json", "--context", "test"},
                .want = "want --cluster for a file, or --kubeconfig and --context"},
        BadCase{.name = "ledger_alone",
                .arguments = {"ledger"},
                .want = "one of list, release; see tpu-webhook ledger --help"},
        BadCase{.name = "release_of_half_a_group",
                .arguments = {"ledger", "release", "ml/train"},
                .want = "want NAMESPACE/CLUSTER/GROUP as `ledger list` prints them, not "},
        BadCase{.name = "release_of_no_place",
                .arguments = {"ledger", "release", "ml/train/workers", "3"},
                .want = "want SLICE-HOST, such as 0-3, not \"3\""},
        BadCase{.name = "force_of_everything",
                .arguments = {"ledger", "release", "ml/train/workers", "--force"},
                .want = "--force: want the SLICE-HOSTs"},
        BadCase{.name = "watch_of_standard_input",
                .arguments = {"slices", "--watch", "--cluster", "-"},
                .want = "--watch: want a file"},
        BadCase{.name = "unknown_flag", .arguments = {"serve", "--frob"}, .want = "--frob"},
        BadCase{
            .name = "no_threads", .arguments = {"serve", "--threads", "0"}, .want = "--threads"},
        BadCase{.name = "duration_without_unit",
                .arguments = {"serve", "--drain-delay", "5"},
                .want = "duration"},
        BadCase{.name = "negative_duration",
                .arguments = {"serve", "--drain-timeout=-5s"},
                .want = "duration"},
        BadCase{.name = "unknown_level",
                .arguments = {"serve", "--log-level", "loud"},
                .want = "\"loud\""},
        BadCase{.name = "unknown_format",
                .arguments = {"serve", "--log-format", "xml"},
                .want = "text|json"},
        BadCase{.name = "certificate_without_key",
                .arguments = {"serve", "--tls-cert", "a"},
                .want = "--tls-key"},
        BadCase{.name = "host_name_for_a_given_certificate",
                .arguments = {"serve", "--tls-cert", "a", "--tls-key", "b", "--tls-hostname", "c"},
                .want = "--tls-hostname"},
        BadCase{.name = "base_port_too_large",
                .arguments = {"serve", "--base-port", "70000"},
                .want = "--base-port"}),
    case_name);

}  // namespace
}  // namespace tpuwh::server::cli
