#include "kubectl/cli/cli.hpp"

#include "kubectl/pages/man_page.hpp"
#include "server/cli/tpu_webhook/program.hpp"
#include "server/settings/table.hpp"
#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::cli {
namespace {

using settings::Setting;
using test::case_name;
using test::PrintTo;

using kubectl_tpu::Command;

// By kubectl-tpu, or by tpu-webhook, which alone has serve. A server's command runs without a
// console.
Command parse(std::vector<const char*> arguments) {
  const bool serves = !arguments.empty() && std::string_view(arguments.front()) == "serve";
  arguments.insert(arguments.begin(), serves ? "tpu-webhook" : "kubectl-tpu");
  const int count = static_cast<int>(arguments.size());
  if (!serves) return kubectl_tpu::parse_command_line(count, arguments.data());
  const auto command = tpu_webhook::parse_command_line(count, arguments.data());
  Command out{.text = command.text, .run = {}};
  if (command.run) out.run = [run = command.run](const text::Console&) { return run(); };
  return out;
}

tpu_webhook::Command of_server(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "tpu-webhook");
  return tpu_webhook::parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

// A value that the setting takes: its default.
std::string text_of(const Setting& setting) {
  const auto value = setting.get(settings::ServeOptions());
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  return value.at(0).get<std::string>();
}

TEST(CommandLineTest, serve_is_something_to_run) {
  const auto command =
      parse({"serve", "--listen", "127.0.0.1:0", "--threads", "2", "--drain-delay", "0",
             "--tls-client-ca", "ca.pem", "--tls-client-name", "a.b", "--tls-client-name", "::1"});
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
                                                                     {"config", "schema", "-h"},
                                                                     {"completion", "-h"},
                                                                     {"version", "-h"},
                                                                     {"help", "-h"}}) {
    const auto command = parse(arguments);
    EXPECT_FALSE(command.run);
    EXPECT_NE(command.text.find("Example"), std::string::npos) << command.text;
  }
}

TEST(CommandLineTest, tells_its_version) {
  EXPECT_EQ(parse({"--version"}).text.rfind("kubectl-tpu ", 0), 0u);
  EXPECT_EQ(of_server({"--version"}).text.rfind("tpu-webhook ", 0), 0u);
  EXPECT_EQ(of_server({"version"}).text, of_server({"--version"}).text);
  EXPECT_EQ(parse({"version"}).text, parse({"--version"}).text);
}

TEST(CommandLineTest, help_of_a_command_is_what_the_command_prints) {
  EXPECT_EQ(parse({"help"}).text, parse({"--help"}).text);
  EXPECT_EQ(parse({"help", "review"}).text, parse({"review", "--help"}).text);
  EXPECT_EQ(parse({"help", "config", "check"}).text, parse({"config", "check", "--help"}).text);
}

// What a person types, also of the commands that both programs have.
TEST(CommandLineTest, as_a_plugin_it_is_kubectl_tpu) {
  const std::string text = parse({"review", "--help"}).text;
  EXPECT_THAT(text, testing::HasSubstr("Usage: kubectl tpu review [OPTIONS]"));
  EXPECT_THAT(text, testing::HasSubstr("\n  kubectl tpu review pod.yaml\n"));
  EXPECT_THAT(text, testing::HasSubstr("-o json | kubectl tpu review\n"));
  EXPECT_THAT(parse({"doctor", "-h"}).text, testing::HasSubstr("tpu-webhook-system"));
  EXPECT_THAT(parse({"--help"}).text, testing::HasSubstr("\n  kubectl tpu help review\n"));
  EXPECT_THAT(parse({"config", "check", "-h"}).text,
              testing::HasSubstr("\n  kubectl tpu config check config.yaml\n"));
}

struct CompletionCase {
  const char* name;
  std::vector<const char*> words;
  std::vector<std::string> want;  // what is offered, in order
  bool files = false;
};

class CompletionTest : public testing::TestWithParam<CompletionCase> {};

TEST_P(CompletionTest, offers_what_may_follow) {
  std::vector<const char*> arguments = {"__complete"};
  arguments.insert(arguments.end(), GetParam().words.begin(), GetParam().words.end());
  std::istringstream lines(parse(arguments).text);
  std::vector<std::string> offered;
  for (std::string line; std::getline(lines, line);)
    offered.push_back(line.substr(0, line.find('\t')));
  ASSERT_FALSE(offered.empty());
  EXPECT_EQ(offered.back(), GetParam().files ? ":0" : ":4");
  offered.pop_back();
  EXPECT_EQ(offered, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    table, CompletionTest,
    testing::Values(
        CompletionCase{.name = "a_command", .words = {"r"}, .want = {"review", "rules"}},
        CompletionCase{.name = "a_command_below",
                       .words = {"config", ""},
                       .want = {"check", "print", "schema"}},
        CompletionCase{
            .name = "a_command_to_help", .words = {"help", "ledger", "l"}, .want = {"list"}},
        CompletionCase{.name = "an_option", .words = {"slices", "--w"}, .want = {"--watch"}},
        CompletionCase{.name = "a_value", .words = {"slices", "-o", ""}, .want = {"text", "json"}},
        CompletionCase{
            .name = "a_value_of_a_setting", .words = {"review", "--mode", "s"}, .want = {"shadow"}},
        CompletionCase{.name = "a_value_behind_a_sign",
                       .words = {"slices", "--output="},
                       .want = {"--output=text", "--output=json"}},
        CompletionCase{.name = "a_value_as_bash_cuts_it",
                       .words = {"slices", "--output", "=", "j"},
                       .want = {"json"}},
        CompletionCase{.name = "a_choice_without_flag",
                       .words = {"completion", ""},
                       .want = {"bash", "zsh", "fish"}},
        CompletionCase{
            .name = "a_file", .words = {"review", "a.yaml", ""}, .want = {}, .files = true},
        CompletionCase{.name = "a_file_of_an_option",
                       .words = {"audit", "--cluster", ""},
                       .want = {},
                       .files = true},
        CompletionCase{.name = "a_name", .words = {"audit", "-n", ""}, .want = {}},
        CompletionCase{.name = "no_option_behind_two_dashes",
                       .words = {"review", "--", "--o"},
                       .want = {},
                       .files = true}),
    case_name);

TEST(ManPageTest, is_made_of_the_help) {
  CLI::App app;
  Command chosen;
  kubectl_tpu::describe(app, chosen);
  const std::string page = pages::man_page(*app.get_subcommand("review"), "kubectl tpu review");
  EXPECT_EQ(page.rfind(".TH KUBECTL\\-TPU\\-REVIEW 1 ", 0), 0u) << page;
  for (const char* part :
       {".SH NAME\nkubectl\\-tpu\\-review \\- Answer reviews offline",
        ".SH SYNOPSIS\n\\fBkubectl tpu review\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR...]",
        ".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fItext|json|diff|review|patch|object\\fR\n",
        ".SH EXIT STATUS\n.PP\nExit code: 0 all allowed",
        ".SH EXAMPLES\n.nf\n  kubectl tpu review pod.yaml\n", "kubectl\\-tpu\\fR(1)"})
    EXPECT_THAT(page, testing::HasSubstr(part));
}

TEST(ServerCommandLineTest, a_command_of_people_is_named) {
  for (const char* command : {"explain", "audit", "frob"}) {
    try {
      of_server({command, "-f", "a.yaml"});
      ADD_FAILURE() << "accepted " << command;
    } catch (const settings::UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(std::string(command) + "\" is not a command"));
      EXPECT_THAT(error.what(), testing::HasSubstr("other commands are in kubectl tpu"));
    }
  }
}

TEST(ServerCommandLineTest, an_unknown_option_is_named) {
  for (const std::vector<const char*>& arguments :
       {std::vector{"--frob"}, std::vector{"serve", "--frob"}, std::vector{"rules", "--frob=1"}}) {
    try {
      of_server(arguments);
      ADD_FAILURE() << "accepted " << arguments.front();
    } catch (const settings::UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("unknown option --frob"));
    }
  }
}

TEST(ServerCommandLineTest, its_help_has_the_names_of_negated_flags_alone) {
  const std::string help = of_server({"serve", "--help"}).text;
  EXPECT_THAT(help, testing::HasSubstr("--no-placement\n"));
  EXPECT_THAT(help, testing::Not(testing::HasSubstr("{false}")));
}

TEST(ServerCommandLineTest, config_has_check_alone) {
  EXPECT_TRUE(of_server({"config", "check", "-"}).run);
  try {
    of_server({"config", "print"});
    ADD_FAILURE() << "accepted";
  } catch (const settings::UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("\"print\" is not a command of tpu-webhook"));
  }
}

TEST(ServerCommandLineTest, its_rules_are_json) {
  const auto rules = nlohmann::json::parse(of_server({"rules", "-o", "json"}).text);
  for (const char* list : {"writes", "never", "reads", "rights"})
    EXPECT_FALSE(rules.at(list).empty()) << list;
  EXPECT_EQ(of_server({"rules"}).text, of_server({"rules", "-o", "json"}).text);
  EXPECT_THROW(of_server({"rules", "-o", "text"}), settings::UsageError);
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
        BadCase{.name = "nothing",
                .arguments = {},
                .want = "expected a command, one of explain, review"},
        BadCase{.name = "unknown_command",
                .arguments = {"frob"},
                .want = "completion, help, version, got \"frob\"; see kubectl tpu --help"},
        BadCase{
            .name = "mistyped_command",
            .arguments = {"reviw", "--mode", "shadow", "a.yaml"},
            .want = "unknown command \"reviw\"; did you mean \"review\"? See kubectl tpu --help"},
        BadCase{
            .name = "help_of_a_mistyped_command",
            .arguments = {"help", "config", "chekc"},
            .want = "unknown command \"chekc\"; did you mean \"check\"? See kubectl tpu config"},
        BadCase{.name = "help_below_a_command",
                .arguments = {"help", "review", "pod.yaml"},
                .want = "kubectl tpu review has no commands, got \"pod.yaml\""},
        BadCase{
            .name = "mistyped_option",
            .arguments = {"review", "--ouput=json", "pod.yaml"},
            .want = "unknown option --ouput; did you mean \"--output\"? See kubectl tpu review"},
        BadCase{.name = "option_of_no_command",
                .arguments = {"catalog", "v6e", "4x8", "--compute-class", "x"},
                .want = "unknown option --compute-class. See kubectl tpu catalog --help"},
        BadCase{.name = "option_before_the_command",
                .arguments = {"--otput", "json", "review"},
                .want = "unknown option --otput"},
        BadCase{.name = "mistyped_choice",
                .arguments = {"review", "-o", "jsn"},
                .want = "got \"jsn\"; did you mean \"json\"?"},
        BadCase{.name = "mistyped_choice_of_a_setting",
                .arguments = {"review", "--mode", "shaddow"},
                .want = "expected enforce|shadow, got \"shaddow\""},
        BadCase{.name = "one_argument_too_many",
                .arguments = {"version", "please"},
                .want = "unexpected argument \"please\"; see kubectl tpu version --help"},
        BadCase{.name = "no_such_shell",
                .arguments = {"completion", "tcsh"},
                .want = "expected bash|zsh|fish, got \"tcsh\""},
        BadCase{.name = "snapshot_and_manifest_on_standard_input",
                .arguments = {"review", "--cluster", "-"},
                .want = "--cluster: expected a file; standard input holds the objects to review"},
        BadCase{.name = "config_alone",
                .arguments = {"config"},
                .want = "one of check, print, schema; see kubectl tpu config --help"},
        BadCase{.name = "config_of_another_kind",
                .arguments = {"config", "chekc"},
                .want = "did you mean \"check\"? See kubectl tpu config --help"},
        BadCase{.name = "no_file_to_check",
                .arguments = {"config", "check"},
                .want = "FILE is required"},
        BadCase{.name = "no_such_config",
                .arguments = {"serve", "--config", "/no/such"},
                .want = "/no/such: No such file"},
        BadCase{.name = "key_without_certificate",
                .arguments = {"serve", "--tls-key", "a"},
                .want = "--tls-key: also needs its certificate"},
        BadCase{.name = "no_address",
                .arguments = {"serve", "--listen", "8443"},
                .want = "--listen: expected ADDR:PORT"},
        BadCase{.name = "unknown_output",
                .arguments = {"review", "--output", "xml"},
                .want = "expected text|json|diff|review|patch|object, got \"xml\""},
        BadCase{.name = "unknown_workload",
                .arguments = {"serve", "--workloads", "ray,slurm"},
                .want = "ray,lws,jobset,job,statefulset,pod, got \"slurm\""},
        BadCase{.name = "annotation_prefix_that_is_no_name",
                .arguments = {"serve", "--annotation-prefix", "a_b/"},
                .want = "DNS name"},
        BadCase{.name = "catalog_of_no_chips",
                .arguments = {"catalog", "v6e", "2x4", "-1"},
                .want = "CHIPS_PER_NODE: expected a whole number above 0, got \"-1\""},
        BadCase{.name = "catalog_of_no_slices",
                .arguments = {"catalog", "v6e", "2x4", "--slices", "0"},
                .want = "--slices"},
        BadCase{.name = "catalog_with_a_shell_command",
                .arguments = {"catalog", "v6e", "2x4", "--reservation", "a;b"},
                .want = "--reservation: expected a reservation's name or path, got \"a;b\""},
        BadCase{.name = "slices_of_a_file_and_a_cluster",
                .arguments = {"slices", "--cluster", "a.json", "--context", "test"},
                .want = "expected --cluster for a file, or --kubeconfig and --context"},
        BadCase{.name = "ledger_alone",
                .arguments = {"ledger"},
                .want = "one of list, release; see kubectl tpu ledger --help"},
        BadCase{.name = "release_of_half_a_group",
                .arguments = {"ledger", "release", "ml/train"},
                .want = "expected NAMESPACE/CLUSTER/GROUP as `ledger list` prints them, got "},
        BadCase{.name = "release_of_no_place",
                .arguments = {"ledger", "release", "ml/train/workers", "3"},
                .want = "expected SLICE-HOST, such as 0-3, got \"3\""},
        BadCase{.name = "force_of_everything",
                .arguments = {"ledger", "release", "ml/train/workers", "--force"},
                .want = "--force: expected the SLICE-HOSTs"},
        BadCase{.name = "watch_of_standard_input",
                .arguments = {"slices", "--watch", "--cluster", "-"},
                .want = "--watch: expected a file"},
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
        BadCase{.name = "base_port_too_large",
                .arguments = {"serve", "--base-port", "70000"},
                .want = "--base-port"}),
    case_name);

}  // namespace
}  // namespace tpuwh::server::cli
