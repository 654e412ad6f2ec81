// What is read from a configuration file, and what is said of a wrong one.
#include "kubectl/settings/read.hpp"
#include "kubectl/settings/schema.hpp"
#include "server/settings/layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

namespace tpuwh::server::settings {
namespace {

using testing::HasSubstr;

std::string first_problem(const ConfigFile& file) {
  return file.problems.empty() ? "" : file.problems.front().text();
}

ServeOptions options_of(const std::string& text) {
  const auto file = parse_yaml_config(text, "f");
  EXPECT_EQ(first_problem(file), "");
  return combine(file.given).options;
}

TEST(ConfigFileTest, yaml_is_read) {
  const auto options = options_of(
      "listen: 127.0.0.1:9443\n"
      "tls: {cert: /c, key: /k}\n"
      "drain:\n  delay: 1500ms\n"
      "log: {level: warn}\n"
      "mode: shadow\n"
      "workloads: [ray, jobset]\n"
      "annotationPrefix: tpu.example.com\n"
      "perWorkload:\n  ray: {mode: enforce, placement: off}\n"
      "perNamespace:\n  no: {placement: true}\n");
  EXPECT_EQ(options.listen, "127.0.0.1:9443");
  EXPECT_EQ(options.tls_cert + options.tls_key, "/c/k");
  EXPECT_EQ(options.drain_delay, std::chrono::milliseconds(1500));
  EXPECT_EQ(options.log_level, log::LogLevel::warn);
  const webhook::config::Config& config = options.webhook;
  EXPECT_EQ(config.prefix, "tpu.example.com/");
  EXPECT_FALSE(config.workloads.has(webhook::config::WorkloadKind::job));
  EXPECT_EQ(config.mode_for(webhook::config::WorkloadKind::ray), webhook::config::Mode::enforce);
  EXPECT_EQ(config.mode_for(webhook::config::WorkloadKind::jobset), webhook::config::Mode::shadow);
  EXPECT_FALSE(config.placement_for(webhook::config::WorkloadKind::ray, "default"));
  EXPECT_TRUE(
      config.placement_for(webhook::config::WorkloadKind::ray, "no"));  // a name, no boolean
}

TEST(ConfigFileTest, levels_of_findings) {
  using webhook::findings::Finding;
  using webhook::findings::Level;
  const webhook::config::Config config =
      options_of(
          "findings: {TPU-405: deny, TPU-502: off, TPU-302: \"off\"}\n"
          "perNamespace:\n  research: {findings: {TPU-405: warn}}\n")
          .webhook;
  EXPECT_EQ(config.level_of(Finding::job_too_few, "team"), Level::deny);
  EXPECT_EQ(config.level_of(Finding::job_too_few, "research"), Level::warn);
  EXPECT_EQ(config.level_of(Finding::value_kept, "team"), Level::off);
  EXPECT_EQ(config.level_of(Finding::subdomain_missing, "team"), Level::off);
  EXPECT_EQ(config.level_of(Finding::topology_malformed, "team"), Level::deny);
}

TEST(ConfigFileTest, json_is_read) {
  const auto options = options_of(
      "{\"$schema\": \"./s.json\",\n\t\"basePort\": 9000, \"perWorkload\": {\"lws\": {\"mode\": "
      "\"shadow\"}}}");
  EXPECT_EQ(options.webhook.base_port, 9000);
  EXPECT_EQ(options.webhook.mode_for(webhook::config::WorkloadKind::lws),
            webhook::config::Mode::shadow);
}

TEST(ConfigFileTest, nothing_is_a_file_too) {
  for (const char* text : {"", "\n", "# all in comments\n", "---\n# c\n", "tls:\n  # cert: x\n"})
    EXPECT_EQ(first_problem(parse_yaml_config(text, "f")), "") << text;
}

TEST(ConfigFileTest, every_problem_is_told_by_line) {
  const auto file =
      parse_yaml_config("mode: off\nlog: {level: info, level: warn}\nthreds: 1\n", "f");
  std::vector<std::string> texts;
  for (const Problem& problem : file.problems) texts.push_back(problem.text());
  EXPECT_THAT(texts, testing::ElementsAre("f:1: mode: expected enforce|shadow, got false",
                                          "f:2: duplicate key level",
                                          "f:3: threds: unknown key; did you mean \"threads\"?"));
}

TEST(ConfigFileTest, too_large_a_file_is_not_read) {
  std::istringstream in("# " + std::string(limits::config_bytes, 'x'));
  EXPECT_THAT(first_problem(read_config(in, "f", parse_yaml_config)),
              HasSubstr("f: is larger than 1048576 bytes"));
  EXPECT_THAT(first_problem(read_config("/")), HasSubstr("Is a directory"));
  EXPECT_THAT(first_problem(read_config("/no/such")), HasSubstr("No such file"));
}

TEST(BadFileTest, says_where_and_what_would_be_right) {
  const std::pair<const char*, const char*> cases[] = {
      {",", "f:1: expected a mapping of keys"},
      {"\nshadow\n", "expected a mapping of listen, healthListen"},
      {"a: [", "f:1: not YAML"},
      {"\xff: 1", "not valid UTF-8"},
      {"mode: shadow\n---\nmode: enforce\n", "f:2: there is a second document; expected one"},
      {"# c\n---\nmood: 1\n", "f:3: mood: unknown key"},
      {"drain-delay: 5s", "did you mean \"drain.delay\""},
      {"delay: 5s", "did you mean \"drain.delay\""},
      {"frobnicate: 1", "expected listen, healthListen"},
      {"log:\n  lvel: info", "f:2: log.lvel: unknown key; did you mean \"log.level\""},
      {"perWorkload: {rays: {}}", "did you mean \"perWorkload.ray\""},
      {"workloads: [rays]", "got \"rays\""},
      {"workloads: []", "expected a list of names"},
      {"tls: a.pem", "f:1: tls: expected a mapping of cert, key"},
      {"mode: {a: b}", "mode: expected enforce|shadow, got {\"a\":\"b\"}"},
      {"mode:", "mode: expected enforce|shadow, got nothing"},
      {"drain: {delay: 5}", "a duration such as 5s, got 5"},
      {"threads: \"2\"", "a whole number from 1 to 64, got \"2\""},
      {"threads: 1.5", "from 1 to 64, got 1.5"},
      {"basePort: 18446744073709551615", "from 1 to 65535"},
      {"findings: {TPU-999: warn}",
       "expected ids from TPU-101 on (kubectl tpu findings lists them), got TPU-999"},
      {"findings: {TPU-405: error}", "TPU-405: expected deny|warn|off, got \"error\""},
      {"findings: [TPU-405]", "expected a mapping such as TPU-405: deny, got"},
      {"placement: \"no\"", "expected true or false, got \"no\""},
      {"listen: 8443", "ADDR:PORT"},
      {"annotationPrefix: a.b/", "a DNS name"},
      {"\"a\\e[2J\": 1", "f:1: a?[2J: unknown key"},
      {"perNamespace: {A_b: {placement: false}}", "perNamespace.A_b: expected a namespace name"},
  };
  for (const auto& [text, want] : cases)
    EXPECT_THAT(first_problem(parse_yaml_config(text, "f")), HasSubstr(want)) << text;
}

TEST(ContradictionTest, is_told) {
  const std::pair<const char*, const char*> cases[] = {
      {"tls: {cert: a}", "f:1: tls.cert: also needs its key"},
      {"tls:\n  key: a", "f:2: tls.key: also needs its certificate"},
      {"tls: {clientCa: a}", "tls.clientCa: also needs the caller's"},
      {"tls: {clientNames: [c]}", "tls.clientNames: also needs the CA"},
  };
  for (const auto& [text, want] : cases) {
    SCOPED_TRACE(text);
    const auto found = contradictions(combine(parse_yaml_config(text, "f").given));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found.front().text(), HasSubstr(want));
  }
}

// --- the schema ---

// The part of JSON schema that ours uses; anything else fails the test.
bool valid(const Json& schema, const Json& value) {
  for (const auto& [word, rule] : schema.items()) {
    if (word == "type") {
      const Json types = rule.is_array() ? rule : Json::array({rule});
      const std::string kind = value.is_number_integer() ? "integer" : value.type_name();
      if (std::find(types.begin(), types.end(), kind) == types.end()) return false;
    } else if (word == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end()) return false;
    } else if (word == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>())))
        return false;
    } else if (word == "minimum" || word == "maximum") {
      if (value.is_number() && (word == "minimum" ? value < rule : value > rule)) return false;
    } else if (word == "minLength" || word == "maxLength") {
      const auto size = value.is_string() ? value.get<std::string>().size() : rule.get<size_t>();
      if (word == "minLength" ? size < rule : size > rule) return false;
    } else if (word == "minItems") {
      if (value.is_array() && value.size() < rule) return false;
    } else if (word == "items") {
      for (const Json& item : value)
        if (value.is_array() && !valid(rule, item)) return false;
    } else if (word == "propertyNames") {
      if (!value.is_object()) continue;
      for (const auto& [name, member] : value.items())
        if (!valid(rule, name)) return false;
    } else if (word == "properties" || word == "additionalProperties") {
      if (!value.is_object()) continue;
      for (const auto& [name, member] : value.items()) {
        const bool named = schema.contains("properties") && schema["properties"].contains(name);
        if (word == "properties" ? named && !valid(rule[name], member)
                                 : !named && (rule == false || !valid(rule, member)))
          return false;
      }
    } else {
      EXPECT_THAT((std::vector<std::string>{"$schema", "title", "description", "default"}),
                  testing::Contains(word));
    }
  }
  return true;
}

// Every setting with values of every kind: what the reader takes the schema takes, and no more.
TEST(ConfigSchemaTest, accepts_what_the_reader_accepts) {
  const Json values = Json::parse(R"([null, true, 0, 1, 64, 65, 65535, 65536, -1, 1.5, "", "x",
    "5", "5s", "0", "1.5h3m", ".5s", "5.s", "-5s", "5 s", ":8443", "8443", "[::1]:1", "a:1",
    "127.0.0.1:0", "enforce", "shadow", "text", "json", "debug", "warn", "ray", "a.b", "a.b/",
    "A.b", "-a", [], ["ray"], ["rays"], ["ray", "pod"], [""], ["a b"], [1], {}, {"a": 1},
    {"mode": "shadow"}, {"placement": false}, {"placement": "false"}])");
  const Json schema = config_schema();
  std::size_t accepted = 0, refused = 0;
  const auto agree = [&](const Json& document) {
    const bool reader = parse_yaml_config(document.dump(), "f").problems.empty();
    EXPECT_EQ(valid(schema, document), reader) << document;
    ++(reader ? accepted : refused);
  };
  for (const char* section :
       {"listen", "healthListen", "metricsListen", "healthMetrics", "threads", "log", "drain",
        "mode", "workloads", "placement", "annotationPrefix", "basePort", "kuberayTruncatedService",
        "findings", "perWorkload", "perNamespace", "unknown"}) {
    for (const Json& value : values) {
      agree({{section, value}});
      for (const char* below :
           {"level", "delay", "hostnames", "cert", "ray", "TPU-405", "team-a", "Team"}) {
        agree({{section, {{below, value}}}});
        agree({{"tls", {{"hostnames", value}}}});
      }
    }
  }
  EXPECT_GT(accepted, 50u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace tpuwh::server::settings
