#include "kubectl/cli/cli.hpp"

#include "kubectl/pages/man_page.hpp"
#include "server/settings/table.hpp"
#include "tests/unit/kubectl/cli/parsed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace tpuwh::server::cli {
namespace {

using settings::Setting;
using testing::HasSubstr;
using testing::Not;

// A value that the setting takes: its default.
std::string text_of(const Setting& setting) {
  const auto value = setting.get(settings::ServeOptions());
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  return value.at(0).get<std::string>();
}

TEST(CommandLineTest, serve_is_something_to_run) {
  const auto command =
      parse(words("serve --listen 127.0.0.1:0 --threads 2 --drain-delay 0 --tls-client-ca ca.pem "
                  "--tls-client-name a.b --tls-client-name ::1"));
  EXPECT_TRUE(command.run);
  EXPECT_EQ(command.text, "");
}

TEST(CommandLineTest, help_has_an_example) {
  for (const char* line : {"--help", "serve -h", "review -h", "rules -h", "catalog -h", "slices -h",
                           "audit -h", "ledger -h", "ledger list -h", "ledger release -h",
                           "doctor -h", "config -h", "config check -h", "config print -h",
                           "config schema -h", "completion -h", "version -h", "help -h"}) {
    const auto command = parse(words(line));
    EXPECT_FALSE(command.run);
    EXPECT_NE(command.text.find("Example"), std::string::npos) << command.text;
  }
}

TEST(CommandLineTest, tells_its_version) {
  EXPECT_EQ(parse(words("--version")).text.rfind("kubectl-tpu ", 0), 0u);
  EXPECT_EQ(of_server(words("--version")).text.rfind("tpu-webhook ", 0), 0u);
  EXPECT_EQ(of_server(words("version")).text, of_server(words("--version")).text);
  EXPECT_EQ(parse(words("version")).text, parse(words("--version")).text);
}

TEST(CommandLineTest, help_of_a_command_is_what_the_command_prints) {
  EXPECT_EQ(parse(words("help")).text, parse(words("--help")).text);
  EXPECT_EQ(parse(words("help review")).text, parse(words("review --help")).text);
  EXPECT_EQ(parse(words("help config check")).text, parse(words("config check --help")).text);
}

// What a person types, also of the commands that both programs have.
TEST(CommandLineTest, as_a_plugin_it_is_kubectl_tpu) {
  const std::string text = parse(words("review --help")).text;
  EXPECT_THAT(text, HasSubstr("Usage: kubectl tpu review [OPTIONS]"));
  EXPECT_THAT(text, HasSubstr("\n  kubectl tpu review pod.yaml\n"));
  EXPECT_THAT(text, HasSubstr("-o json | kubectl tpu review\n"));
  EXPECT_THAT(parse(words("doctor -h")).text, HasSubstr("tpu-webhook-system"));
  EXPECT_THAT(parse(words("--help")).text, HasSubstr("\n  kubectl tpu help review\n"));
  EXPECT_THAT(parse(words("config check -h")).text,
              HasSubstr("\n  kubectl tpu config check config.yaml\n"));
}

TEST(CompletionTest, offers_what_may_follow) {
  const struct {
    Arguments words;
    std::vector<std::string> want;  // what is offered, in order
    bool files = false;
  } cases[] = {
      {{"r"}, {"review", "rules"}},
      {{"config", ""}, {"check", "print", "schema"}},
      {{"help", "ledger", "l"}, {"list"}},
      {{"slices", "--w"}, {"--watch"}},
      {{"slices", "-o", ""}, {"text", "json"}},
      {{"review", "--mode", "s"}, {"shadow"}},
      {{"slices", "--output="}, {"--output=text", "--output=json"}},
      {{"slices", "--output", "=", "j"}, {"json"}},
      {{"completion", ""}, {"bash", "zsh", "fish"}},
      {{"review", "a.yaml", ""}, {}, true},
      {{"audit", "--cluster", ""}, {}, true},
      {{"audit", "-n", ""}, {}},
      {{"review", "--", "--o"}, {}, true},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(testing::PrintToString(each.words));
    Arguments arguments = {"__complete"};
    arguments.insert(arguments.end(), each.words.begin(), each.words.end());
    std::istringstream lines(parse(arguments).text);
    std::vector<std::string> offered;
    for (std::string line; std::getline(lines, line);)
      offered.push_back(line.substr(0, line.find('\t')));
    ASSERT_FALSE(offered.empty());
    EXPECT_EQ(offered.back(), each.files ? ":0" : ":4");
    offered.pop_back();
    EXPECT_EQ(offered, each.want);
  }
}

TEST(ManPageTest, is_made_of_the_help) {
  CLI::App app;
  kubectl_tpu::Command chosen;
  kubectl_tpu::describe(app, chosen);
  const std::string page = pages::man_page(*app.get_subcommand("review"), "kubectl tpu review");
  EXPECT_EQ(page.rfind(".TH KUBECTL\\-TPU\\-REVIEW 1 ", 0), 0u) << page;
  for (const char* part :
       {".SH NAME\nkubectl\\-tpu\\-review \\- Answer reviews offline",
        ".SH SYNOPSIS\n\\fBkubectl tpu review\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR...]",
        ".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fItext|json|diff|review|patch|object\\fR\n",
        ".SH EXIT STATUS\n.PP\nExit code: 0 all allowed",
        ".SH EXAMPLES\n.nf\n  kubectl tpu review pod.yaml\n", "kubectl\\-tpu\\fR(1)"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(ServerCommandLineTest, names_what_it_does_not_have) {
  const std::pair<const char*, const char*> cases[] = {
      {"explain -f a.yaml", "explain\" is not a command"},
      {"audit -f a.yaml", "audit\" is not a command"},
      {"frob -f a.yaml", "frob\" is not a command"},
      {"frob", "other commands are in kubectl tpu"},
      {"config print", "\"print\" is not a command of tpu-webhook"},
      {"--frob", "unknown option --frob"},
      {"serve --frob", "unknown option --frob"},
      {"rules --frob=1", "unknown option --frob"},
  };
  for (const auto& [line, want] : cases)
    EXPECT_THAT(refusal(of_server, words(line)), HasSubstr(want));
  EXPECT_TRUE(of_server(words("config check -")).run);
}

TEST(ServerCommandLineTest, its_help_has_the_names_of_negated_flags_alone) {
  const std::string help = of_server(words("serve --help")).text;
  EXPECT_THAT(help, HasSubstr("--no-placement\n"));
  EXPECT_THAT(help, Not(HasSubstr("{false}")));
}

TEST(ServerCommandLineTest, its_rules_are_json) {
  const auto rules = nlohmann::json::parse(of_server(words("rules -o json")).text);
  for (const char* list : {"writes", "never", "reads", "rights"})
    EXPECT_FALSE(rules.at(list).empty()) << list;
  EXPECT_EQ(of_server(words("rules")).text, of_server(words("rules -o json")).text);
  EXPECT_THROW(of_server(words("rules -o text")), settings::UsageError);
}

// What follows a flag's value is the command's own argument.
TEST(CommandLineTest, a_setting_takes_one_value) {
  for (const Setting& setting : settings::settings()) {
    if (setting.flag.empty() || setting.shape == settings::Shape::boolean) continue;
    const std::string value = text_of(setting);
    if (value.empty()) continue;  // a file's name: no flag of review
    if (setting.scope <= settings::Scope::decision) {
      EXPECT_TRUE(parse({"review", setting.flag, value, "pod.yaml"}).run) << setting.flag;
    }
    const std::string said = refusal(parse, {"serve", setting.flag, value, "pod.yaml"});
    EXPECT_THAT(said, HasSubstr("pod.yaml")) << setting.flag;
    EXPECT_THAT(said, Not(HasSubstr(setting.flag)));
  }
}

TEST(CommandLineTest, a_list_may_be_given_in_parts) {
  EXPECT_TRUE(parse(words("review --workloads ray,job --workloads pod pod.yaml")).run);
  EXPECT_TRUE(parse(words("slices --annotation-prefix a.b train")).run);
}

TEST(BadCommandLineTest, is_refused_in_one_line) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "expected a command, one of explain, review"},
      {"frob", "completion, help, version, got \"frob\"; see kubectl tpu --help"},
      {"reviw --mode shadow a.yaml",
       "unknown command \"reviw\"; did you mean \"review\"? See kubectl tpu --help"},
      {"help config chekc",
       "unknown command \"chekc\"; did you mean \"check\"? See kubectl tpu config"},
      {"help review pod.yaml", "kubectl tpu review has no commands, got \"pod.yaml\""},
      {"review --ouput=json pod.yaml",
       "unknown option --ouput; did you mean \"--output\"? See kubectl tpu review"},
      {"catalog v6e 4x8 --compute-class x",
       "unknown option --compute-class. See kubectl tpu catalog --help"},
      {"--otput json review", "unknown option --otput"},
      {"review -o jsn", "got \"jsn\"; did you mean \"json\"?"},
      {"review --mode shaddow", "expected enforce|shadow, got \"shaddow\""},
      {"version please", "unexpected argument \"please\"; see kubectl tpu version --help"},
      {"completion tcsh", "expected bash|zsh|fish, got \"tcsh\""},
      {"review --cluster -",
       "--cluster: expected a file; standard input holds the objects to review"},
      {"config", "one of check, print, schema; see kubectl tpu config --help"},
      {"config chekc", "did you mean \"check\"? See kubectl tpu config --help"},
      {"config check", "FILE is required"},
      {"serve --config /no/such", "/no/such: No such file"},
      {"serve --tls-key a", "--tls-key: also needs its certificate"},
      {"serve --listen 8443", "--listen: expected ADDR:PORT"},
      {"review --output xml", "expected text|json|diff|review|patch|object, got \"xml\""},
      {"serve --workloads ray,slurm", "ray,lws,jobset,job,statefulset,pod, got \"slurm\""},
      {"serve --annotation-prefix a_b/", "DNS name"},
      {"catalog v6e 2x4 -1", "CHIPS_PER_NODE: expected a whole number above 0, got \"-1\""},
      {"catalog v6e 2x4 --slices 0", "--slices"},
      {"catalog v6e 2x4 --reservation a;b",
       "--reservation: expected a reservation's name or path, got \"a;b\""},
      {"slices --cluster a.json --context test",
       "expected --cluster for a file, or --kubeconfig and --context"},
      {"ledger", "one of list, release; see kubectl tpu ledger --help"},
      {"ledger release ml/train",
       "expected NAMESPACE/CLUSTER/GROUP as `ledger list` prints them, got "},
      {"ledger release ml/train/workers 3", "expected SLICE-HOST, such as 0-3, got \"3\""},
      {"ledger release ml/train/workers --force", "--force: expected the SLICE-HOSTs"},
      {"slices --watch --cluster -", "--watch: expected a file"},
      {"serve --frob", "--frob"},
      {"serve --threads 0", "--threads"},
      {"serve --drain-delay 5", "duration"},
      {"serve --drain-timeout=-5s", "duration"},
      {"serve --log-level loud", "\"loud\""},
      {"serve --log-format xml", "text|json"},
      {"serve --tls-cert a", "--tls-key"},
      {"serve --base-port 70000", "--base-port"},
  };
  for (const auto& [given, want] : cases) {
    const std::string line = refusal(parse, words(given));
    EXPECT_THAT(line, HasSubstr(want));
    EXPECT_THAT(line, Not(HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace tpuwh::server::cli
