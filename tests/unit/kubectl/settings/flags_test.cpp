// Flags, file keys, schema and `config print` are the same set, and which of them wins.
#include "kubectl/cli/cli.hpp"
#include "kubectl/settings/schema.hpp"
#include "server/cli/tpu_webhook/program.hpp"
#include "server/settings/file.hpp"
#include "server/settings/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace tpuwh::server::settings {
namespace {

using testing::HasSubstr;
using Set = std::set<std::string>;

cli::kubectl_tpu::Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kubectl-tpu");
  return cli::kubectl_tpu::parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

cli::tpu_webhook::Command of_server(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "tpu-webhook");
  return cli::tpu_webhook::parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

struct Ran {
  int code;
  std::string out, err;
};
Ran run(std::vector<const char*> arguments, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out, err;
  const cli::kubectl_tpu::Command command = parse(std::move(arguments));
  const int code = command.run({in, out, err, false});
  return {code, out.str(), err.str()};
}

// A file that is gone with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text, const std::string& end = ".yaml")
      : path_(testing::TempDir() + "tpu-webhook-" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + end) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

Set flags_in_help(const std::string& text) {
  const std::regex line(R"(\n  (-[^ \n]+))"), flag(R"(--[a-z-]+)");
  Set out;
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
    const std::string names = (*at)[1];
    for (std::sregex_iterator each(names.begin(), names.end(), flag); each != end; ++each)
      out.insert(each->str());
  }
  for (const char* own : {"--help", "--config", "--output", "--diff", "--cluster", "--rbac",
                          "--entries", "--filename", "--namespace", "--strict"})
    out.erase(own);
  return out;
}

Set flags_up_to(Scope scope) {
  Set out;
  for (const Setting& setting : settings())
    for (const std::string& flag : {setting.flag, setting.negation})
      if (!flag.empty() && setting.scope <= scope) out.insert(flag);
  return out;
}

TEST(SettingFlagsTest, are_those_of_the_table) {
  EXPECT_EQ(flags_in_help(of_server({"serve", "--help"}).text), flags_up_to(Scope::serve));
  EXPECT_EQ(flags_in_help(parse({"config", "print", "--help"}).text), flags_up_to(Scope::serve));
  EXPECT_EQ(flags_in_help(parse({"review", "--help"}).text), flags_up_to(Scope::decision));
  EXPECT_EQ(flags_in_help(parse({"rules", "--help"}).text), flags_up_to(Scope::names));
  EXPECT_EQ(flags_in_help(of_server({"rules", "--help"}).text), flags_up_to(Scope::names));
  EXPECT_GT(flags_up_to(Scope::serve).size(), flags_up_to(Scope::decision).size());
}

void leaves(const Json& schema, const std::string& key, Set& out) {
  if (schema.contains("properties"))
    for (const auto& [name, below] : schema["properties"].items())
      leaves(below, key + (key.empty() ? "" : ".") + name, out);
  else if (schema.contains("additionalProperties") && schema["propertyNames"].contains("pattern"))
    leaves(schema["additionalProperties"], key + ".*", out);
  else
    out.insert(key);
}

TEST(SettingKeysTest, of_table_and_schema_are_the_same) {
  Set table, schema;
  for (const Setting& setting : settings()) table.insert(setting.key);
  EXPECT_EQ(table.size(), settings().size());
  leaves(config_schema(), "", schema);
  schema.erase("$schema");
  EXPECT_EQ(table, schema);
}

TEST(ConfigPrintTest, says_where_a_value_comes_from) {
  const TemporaryFile file("log:\n  level: warn\n  format: json\nplacement: false\n");
  const std::vector<const char*> arguments = {"config",       "print",  "--config",    file.path(),
                                              "--log-format", "text",   "--workloads", "ray",
                                              "--workloads",  "job,pod"};
  const std::string text = run(arguments).out;
  EXPECT_THAT(text, testing::ContainsRegex("\n  level: warn +# [^\n]*.yaml:2\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n  format: text +# --log-format\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\nthreads: [0-9]+ +# default\n"));
  EXPECT_THAT(text, HasSubstr("\nworkloads: [\"ray\",\"job\",\"pod\"] "));
}

// What `config print --output json` prints is what the server reads.
TEST(ConfigPrintTest, converts_yaml_to_the_json_of_the_server) {
  const TemporaryFile yaml("mode: shadow\nperNamespace: {no: {placement: false}}\n");
  try {
    of_server({"serve", "--config", yaml.path()});
    FAIL() << "the server reads YAML";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(yaml.path()));
    EXPECT_THAT(error.what(), HasSubstr("kubectl tpu config print --config FILE --output json"));
  }
  const std::string json = run({"config", "print", "--config", yaml.path(), "-o", "json"}).out;
  { std::ofstream(yaml.path()) << json; }
  EXPECT_TRUE(of_server({"serve", "--config", yaml.path()}).run);
  EXPECT_EQ(parse_config(json, "f").problems.size(), 0u);
  EXPECT_EQ(run({"config", "print", "--config", yaml.path(), "-o", "json"}).out, json);
  EXPECT_EQ(Json::parse(json)["perNamespace"]["no"]["placement"], false);
}

TEST(ConfigPrintTest, a_file_adds_no_line_by_its_name) {
  const TemporaryFile file("threads: 3\n", "c\nmode: shadow #.yaml");
  const std::string out = run({"config", "print", "--config", file.path()}).out;
  EXPECT_THAT(out, testing::Not(HasSubstr("\nmode: shadow ")));
  EXPECT_THAT(out, testing::ContainsRegex("\nthreads: 3 +# .*c[\\]nmode: shadow #.yaml:1\n"));
}

TEST(ConfigPrintTest, a_flag_switches_on_what_the_file_switched_off) {
  const TemporaryFile file("placement: false\nkuberayTruncatedService: true\n");
  const Ran ran = run({"config", "print", "--config", file.path(), "--placement",
                       "--kuberay-truncated-service=false"});
  EXPECT_THAT(ran.out, HasSubstr("\nplacement: true "));
  EXPECT_THAT(ran.out, HasSubstr("\nkuberayTruncatedService: false "));
  EXPECT_THAT(run({"config", "print", "--no-placement"}).out,
              testing::ContainsRegex("placement: false +# --no-placement"));
}

TEST(ConfigPrintTest, yaml_is_a_file_again) {
  const TemporaryFile first(
      "perWorkload: {ray: {mode: shadow}}\nfindings: {TPU-405: deny, TPU-502: off}\n"
      "perNamespace: {yes: {placement: false, placementHint: true, findings: {TPU-405: warn}},\n"
      "               b: {placement: true, placementHint: false}}\n"
      "tls: {clientCa: /ca, clientNames: [\"1\", \"::1\"]}\ndrain: {delay: 1500ms}\n");
  const auto print = [](const char* file) {
    return Json::parse(run({"config", "print", "--config", file, "-o", "json"}).out);
  };
  const std::string text = run({"config", "print", "--config", first.path()}).out;
  const Json wanted = print(first.path());
  { std::ofstream(first.path()) << text; }
  EXPECT_EQ(print(first.path()), wanted) << text;
  EXPECT_EQ(wanted["perNamespace"]["yes"]["placement"], false);
  EXPECT_EQ(wanted["perNamespace"]["b"]["placementHint"], false);
  EXPECT_EQ(wanted["findings"], Json::parse(R"({"TPU-405": "deny", "TPU-502": "off"})"));
  const std::string with_cert = run({"config", "print", "--tls-cert", "a", "--tls-key", "b"}).out;
  EXPECT_EQ(run({"config", "check", "-"}, with_cert).err, "");
}

TEST(ConfigCheckTest, exit_code_and_streams) {
  const Ran good = run({"config", "check", "-"}, "mode: shadow\n");
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.err, "");
  const Ran bad = run({"config", "check", "-"}, "mode: shade\nfoo: 1\n");
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.out, "");
  EXPECT_THAT(bad.err, HasSubstr("standard input:1: mode: expected enforce|shadow"));
  EXPECT_THAT(bad.err, HasSubstr("\nstandard input:2: foo: unknown key"));
  EXPECT_EQ(run({"config", "check", "-"}, "tls: {cert: a}").code, 2);
}

TEST(ConfigOfOtherCommandsTest, every_problem_is_named_and_review_takes_the_same_file) {
  const TemporaryFile bad("mode: shade\nfoo: 1\n");
  for (const char* command : {"review", "rules"}) {
    try {
      parse({command, "--config", bad.path()});
      FAIL() << "accepted by " << command;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(":1: mode"));
      EXPECT_THAT(error.what(), HasSubstr(":2: foo"));
    }
  }
  { std::ofstream(bad.path()) << R"({"mode": "shade", "foo": 1})"; }
  try {
    of_server({"serve", "--config", bad.path()});
    FAIL() << "accepted by serve";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(": mode: expected enforce|shadow, got \"shade\"\n"));
    EXPECT_THAT(error.what(), HasSubstr(": foo: unknown key"));
  }
  const TemporaryFile good("listen: :1\nannotationPrefix: tpu.example.com\n");
  EXPECT_TRUE(parse({"review", "--config", good.path()}).run);
  EXPECT_THAT(run({"rules", "--config", good.path()}).out, HasSubstr("tpu.example.com~1slice-key"));
}

}  // namespace
}  // namespace tpuwh::server::settings
