// Flags, file keys, schema and `config print` are the same set, and which of them wins.
#include "kubectl/settings/schema.hpp"
#include "server/settings/file.hpp"
#include "server/settings/table.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/ran.hpp"
#include "tests/unit/kubectl/cli/parsed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace tpuwh::server::settings {
namespace {

using cli::of_server;
using cli::parse;
using cli::refusal;
using testing::ContainsRegex;
using testing::HasSubstr;
using Set = std::set<std::string>;

test::Ran run(const cli::Arguments& arguments, const std::string& input = "") {
  return test::ran(parse(arguments).run, input);
}

// Returns the output of `config print` for a file.
std::string print(const std::string& file, const cli::Arguments& more = {}) {
  cli::Arguments arguments = {"config", "print", "--config", file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments).out;
}

class ConfigTest : public test::FolderTest {};

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
  EXPECT_EQ(flags_in_help(of_server(cli::words("serve --help")).text), flags_up_to(Scope::serve));
  EXPECT_EQ(flags_in_help(parse(cli::words("config print --help")).text),
            flags_up_to(Scope::serve));
  EXPECT_EQ(flags_in_help(parse(cli::words("review --help")).text), flags_up_to(Scope::decision));
  EXPECT_EQ(flags_in_help(parse(cli::words("rules --help")).text), flags_up_to(Scope::names));
  EXPECT_EQ(flags_in_help(of_server(cli::words("rules --help")).text), flags_up_to(Scope::names));
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

TEST_F(ConfigTest, print_says_where_a_value_comes_from) {
  const std::string file =
      write("a.yaml", "log:\n  level: warn\n  format: json\nplacement: false\n");
  const std::string text =
      print(file, {"--log-format", "text", "--workloads", "ray", "--workloads", "job,pod"});
  EXPECT_THAT(text, ContainsRegex("\n  level: warn +# [^\n]*.yaml:2\n"));
  EXPECT_THAT(text, ContainsRegex("\n  format: text +# --log-format\n"));
  EXPECT_THAT(text, ContainsRegex("\nthreads: [0-9]+ +# default\n"));
  EXPECT_THAT(text, HasSubstr("\nworkloads: [\"ray\",\"job\",\"pod\"] "));
}

// What `config print --output json` prints is what the server reads.
TEST_F(ConfigTest, print_converts_yaml_to_the_json_of_the_server) {
  const std::string file =
      write("a.yaml", "mode: shadow\nperNamespace: {no: {placement: false}}\n");
  const std::string said = refusal(of_server, {"serve", "--config", file});
  EXPECT_THAT(said, HasSubstr(file));
  EXPECT_THAT(said, HasSubstr("kubectl tpu config print --config FILE --output json"));
  const std::string json = print(file, {"-o", "json"});
  write("a.yaml", json);
  EXPECT_TRUE(of_server({"serve", "--config", file}).run);
  EXPECT_EQ(parse_config(json, "f").problems.size(), 0u);
  EXPECT_EQ(print(file, {"-o", "json"}), json);
  EXPECT_EQ(Json::parse(json)["perNamespace"]["no"]["placement"], false);
}

TEST_F(ConfigTest, a_file_adds_no_line_by_its_name) {
  const std::string out = print(write("c\nmode: shadow #.yaml", "threads: 3\n"));
  EXPECT_THAT(out, testing::Not(HasSubstr("\nmode: shadow ")));
  EXPECT_THAT(out, ContainsRegex("\nthreads: 3 +# .*c[\\]nmode: shadow #.yaml:1\n"));
}

TEST_F(ConfigTest, a_flag_switches_on_what_the_file_switched_off) {
  const std::string out =
      print(write("a.yaml", "placement: false\nkuberayTruncatedService: true\n"),
            {"--placement", "--kuberay-truncated-service=false"});
  EXPECT_THAT(out, HasSubstr("\nplacement: true "));
  EXPECT_THAT(out, HasSubstr("\nkuberayTruncatedService: false "));
  EXPECT_THAT(run(cli::words("config print --no-placement")).out,
              ContainsRegex("placement: false +# --no-placement"));
}

TEST_F(ConfigTest, as_yaml_is_a_file_again) {
  const std::string file = write(
      "a.yaml",
      "perWorkload: {ray: {mode: shadow}}\nfindings: {TPU-405: deny, TPU-502: off}\n"
      "perNamespace: {yes: {placement: false, placementHint: true, findings: {TPU-405: warn}},\n"
      "               b: {placement: true, placementHint: false}}\n"
      "tls: {clientCa: /ca, clientNames: [\"1\", \"::1\"]}\ndrain: {delay: 1500ms}\n");
  const std::string text = print(file);
  const Json wanted = Json::parse(print(file, {"-o", "json"}));
  write("a.yaml", text);
  EXPECT_EQ(Json::parse(print(file, {"-o", "json"})), wanted) << text;
  EXPECT_EQ(wanted["perNamespace"]["yes"]["placement"], false);
  EXPECT_EQ(wanted["perNamespace"]["b"]["placementHint"], false);
  EXPECT_EQ(wanted["findings"], Json::parse(R"({"TPU-405": "deny", "TPU-502": "off"})"));
  const std::string with_cert = run(cli::words("config print --tls-cert a --tls-key b")).out;
  EXPECT_EQ(run(cli::words("config check -"), with_cert).err, "");
}

TEST(ConfigCheckTest, exit_code_and_streams) {
  const test::Ran good = run(cli::words("config check -"), "mode: shadow\n");
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.err, "");
  const test::Ran bad = run(cli::words("config check -"), "mode: shade\nfoo: 1\n");
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.out, "");
  EXPECT_THAT(bad.err, HasSubstr("standard input:1: mode: expected enforce|shadow"));
  EXPECT_THAT(bad.err, HasSubstr("\nstandard input:2: foo: unknown key"));
  EXPECT_EQ(run(cli::words("config check -"), "tls: {cert: a}").code, 2);
}

TEST_F(ConfigTest, has_every_problem_named_and_review_takes_the_same_file) {
  const std::string bad = write("bad.yaml", "mode: shade\nfoo: 1\n");
  for (const char* command : {"review", "rules"}) {
    const std::string said = refusal(parse, {command, "--config", bad});
    EXPECT_THAT(said, HasSubstr(":1: mode"));
    EXPECT_THAT(said, HasSubstr(":2: foo"));
  }
  write("bad.yaml", R"({"mode": "shade", "foo": 1})");
  const std::string said = refusal(of_server, {"serve", "--config", bad});
  EXPECT_THAT(said, HasSubstr(": mode: expected enforce|shadow, got \"shade\"\n"));
  EXPECT_THAT(said, HasSubstr(": foo: unknown key"));
  const std::string good = write("good.yaml", "listen: :1\nannotationPrefix: tpu.example.com\n");
  EXPECT_TRUE(parse({"review", "--config", good}).run);
  EXPECT_THAT(run({"rules", "--config", good}).out, HasSubstr("tpu.example.com~1slice-key"));
}

}  // namespace
}  // namespace tpuwh::server::settings
