#include "webhook/write/patch.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/support/strict_patch.hpp"

namespace tpuwh::webhook::write {
namespace {

using namespace std::string_literals;
using nlohmann::json;

constexpr std::string_view prefix = "tpu-webhook.dev/";

TEST(PatchTest, is_a_list_of_operations) {
  Patch patch;
  patch.clear(prefix);
  EXPECT_TRUE(patch.empty());
  EXPECT_EQ(patch.finish(), "");
  patch.clear(prefix);
  patch.begin(PatchOp::add, Surface::hostname, std::string_view("/spec/hostname"));
  append_json_string(patch.json(), "h-0");
  patch.end();
  patch.begin(PatchOp::replace, Surface::env_value, std::string_view("/spec/containers/"), 1u,
              std::string_view("/env/"), 17u, std::string_view("/value"));
  patch.json().append(std::string_view("\"1\""));
  patch.end();
  patch.begin(PatchOp::remove, Surface::env_gone, std::string_view("/spec/containers/0/env/3"));
  patch.end();
  EXPECT_FALSE(patch.undeclared());
  EXPECT_EQ(json::parse(patch.finish()), json::parse(R"([
      {"op":"add","path":"/spec/hostname","value":"h-0"},
      {"op":"replace","path":"/spec/containers/1/env/17/value","value":"1"},
      {"op":"remove","path":"/spec/containers/0/env/3"}])"));
}

TEST(PatchTest, holds_no_more_than_it_may_have) {
  Patch patch;
  patch.clear(prefix);
  const std::string value(100'000, 'x');
  const auto add = [&] {
    patch.begin(PatchOp::add, Surface::hostname, std::string_view("/spec/hostname"));
    append_json_string(patch.json(), value);
    patch.end();
  };
  for (int i = 0; i < 10; ++i) add();
  EXPECT_EQ(patch.dropped_bytes(), 0u);
  const std::size_t ten = patch.json().size();
  for (int i = 0; i < 90; ++i) add();
  EXPECT_EQ(patch.json().size(), ten);
  EXPECT_NEAR(static_cast<double>(ten + patch.dropped_bytes()), 10.0 * static_cast<double>(ten),
              10);
  patch.clear(prefix);
  EXPECT_EQ(patch.dropped_bytes(), 0u);
}

TEST(PatchTest, what_is_not_declared_spoils_it) {
  const auto spoils = [](PatchOp op, Surface row, std::string_view path) {
    Patch patch;
    patch.clear(prefix);
    patch.begin(op, row, path);
    return patch.undeclared();
  };
  EXPECT_FALSE(spoils(PatchOp::add, Surface::hostname, "/spec/hostname"));
  EXPECT_TRUE(spoils(PatchOp::replace, Surface::subdomain, "/spec/subdomain"));
  EXPECT_TRUE(spoils(PatchOp::remove, Surface::hostname, "/spec/hostname"));
  EXPECT_TRUE(spoils(PatchOp::add, Surface::subdomain, "/spec/hostname"));
  EXPECT_TRUE(spoils(PatchOp::add, Surface::hostname, "/spec/hostname/x"));
  EXPECT_TRUE(spoils(PatchOp::add, Surface::hostname, ""));
  Patch patch;
  patch.clear(prefix);
  patch.begin(PatchOp::add, Surface::hostname, std::string_view("/spec/image"));
  patch.begin(PatchOp::add, Surface::hostname, std::string_view("/spec/hostname"));
  EXPECT_TRUE(patch.undeclared()) << "one is enough";
  patch.clear(prefix);
  EXPECT_FALSE(patch.undeclared());
}

TEST(PatchTest, the_prefix_is_escaped_as_a_pointer) {
  Patch patch;
  patch.clear("a~b.example/");
  EXPECT_EQ(patch.escaped_prefix(), "a~0b.example~1");
  patch.clear(prefix);
  EXPECT_EQ(patch.escaped_prefix(), "tpu-webhook.dev~1");
}

TEST(JsonString, comes_back) {
  std::string every;
  for (unsigned c = 0; c < 0x80; ++c) every += static_cast<char>(c);
  for (const std::string& text : {""s, "plain"s, every, every + every, "\xc3\xa4\xf0\x9f\x98\x80"s,
                                  "\0"s, "\"\"\\\\"s, std::string(1000, '\n'), "end\\"s}) {
    text::Buffer out;
    append_json_string(out, text);
    EXPECT_EQ(json::parse(out.view()).get<std::string>(), text);
  }
}

// Eight bytes are looked at in one step.
TEST(JsonString, comes_back_wherever_in_a_word_the_byte_stands) {
  for (unsigned c = 0; c < 0x80; ++c) {
    for (std::size_t at = 0; at < 24; ++at) {
      for (const std::string& beside : {" "s, "\x7f"s, "\xc3\xbf"s}) {
        std::string text;
        while (text.size() < 24) text += beside;
        text[at & ~std::size_t{1}] = static_cast<char>(c);  // never half of a letter
        text[at | 1] = at % 2 == 0 ? ' ' : static_cast<char>(c);
        text::Buffer out;
        append_json_string(out, text);
        EXPECT_EQ(json::parse(out.view()).get<std::string>(), text) << c << " at " << at;
      }
    }
  }
}

// --- The strict applier of the tests --------------------------------------------------------

TEST(StrictPatch, takes_what_every_applier_takes) {
  json document = json::parse(R"({"a":{"b":[1,2]},"n":null,"a/b":1,"m~n":2})");
  EXPECT_EQ(test::apply_strictly(document, json::parse(R"([
      {"op":"add","path":"/a/c","value":3}, {"op":"add","path":"/a/b/0","value":0},
      {"op":"add","path":"/a/b/-","value":9}, {"op":"add","path":"/a/b/4","value":10},
      {"op":"replace","path":"/a/b/1","value":7}, {"op":"remove","path":"/a/b/2"},
      {"op":"add","path":"/n","value":{}}, {"op":"add","path":"/n/x","value":1},
      {"op":"replace","path":"/a~1b","value":5}, {"op":"remove","path":"/m~0n"}])")),
            "");
  EXPECT_EQ(document, json::parse(R"({"a":{"b":[0,7,9,10],"c":3},"n":{"x":1},"a/b":5})"));
}

TEST(StrictPatch, refuses_what_only_some_take) {
  for (const char* operation : {R"({"op":"add","path":"/x/y","value":1})",
                                R"({"op":"add","path":"/n/x","value":1})",
                                R"({"op":"add","path":"/a/b/3","value":1})",
                                R"({"op":"add","path":"/a/b/-1","value":1})",
                                R"({"op":"add","path":"/a/b/01","value":1})",
                                R"({"op":"replace","path":"/a/b/-","value":1})",
                                R"({"op":"replace","path":"/a/x","value":1})",
                                R"({"op":"remove","path":"/a/x"})",
                                R"({"op":"remove","path":"/a/b/2"})",
                                R"({"op":"add","path":"a","value":1})",
                                R"({"op":"add","path":"","value":1})",
                                R"({"op":"add","path":"/a~2","value":1})",
                                R"({"op":"add","path":"/a~","value":1})",
                                R"({"op":"add","path":"/a"})",
                                R"({"op":"remove","path":"/a","value":1})",
                                R"({"op":"add","path":"/a","value":1,"x":1})",
                                R"({"op":"test","path":"/n","value":null})",
                                R"({"op":"copy","from":"/a","path":"/x"})",
                                R"({"op":"add","path":"/s/x","value":1})",
                                R"({"op":"ADD","path":"/a","value":1})",
                                "5"}) {
    json document = json::parse(R"({"a":{"b":[1,2]},"n":null,"s":"text"})");
    EXPECT_NE(test::apply_strictly(document, json::array({json::parse(operation)})), "")
        << operation;
  }
}

}  // namespace
}  // namespace tpuwh::webhook::write
