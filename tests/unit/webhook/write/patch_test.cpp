#include "webhook/write/patch.hpp"
#include "webhook/reasons/declared.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/admitted.hpp"
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
  patch.begin(PatchOp::add, Surface::hostname);
  patch.json() << as_string("h-0");
  patch.end();
  patch.begin(PatchOp::replace, Surface::env_value, 1u, 17u);
  patch.json() << "\"1\"";
  patch.end();
  patch.begin(PatchOp::remove, Surface::env_gone, 0u, 3u);
  patch.end();
  EXPECT_FALSE(patch.is_spoiled());
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
    patch.begin(PatchOp::add, Surface::hostname);
    patch.json() << as_string(value);
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

// Every operation on every row, with whatever marks: the path is the row's, or the patch is
// spoiled.
TEST(PatchTest, what_is_not_declared_spoils_it) {
  const auto begin = [](Patch& patch, int marks, PatchOp op, Surface row) {
    switch (marks) {
      case 0:
        return patch.begin(op, row);
      case 1:
        return patch.begin(op, row, 7u);
      case 2:
        return patch.begin(op, row, 7u, 12u);
      default:
        return patch.begin(op, row, std::string_view("a.b/c~d"));
    }
  };
  for (std::size_t i = 0; i < surface().size(); ++i)
    for (const PatchOp op : {PatchOp::add, PatchOp::replace, PatchOp::remove}) {
      const auto row = static_cast<Surface>(i);
      const SurfaceRow& declared = surface()[i];
      const bool op_allowed =
          op == declared.op || (op == PatchOp::replace && declared.also_replace);
      int good = 0;
      for (int marks = 0; marks < 4; ++marks) {
        Patch patch;
        patch.clear(prefix);
        begin(patch, marks, op, row);
        if (patch.is_spoiled()) continue;
        ++good;
        if (op != PatchOp::remove) patch.json() << 1u;
        patch.end();
        const json written = json::parse(patch.finish()).at(0);
        EXPECT_EQ(written["op"], std::string(name(op)));
        EXPECT_TRUE(reasons::allows(declared, op, written["path"].get<std::string>(),
                                    patch.escaped_prefix()))
            << written;
      }
      EXPECT_EQ(good, op_allowed ? 1 : 0) << name(op) << ' ' << declared.path;
    }
}

// To the byte; the closing bracket comes behind.
TEST(PatchTest, the_last_byte_that_there_may_be_is_kept) {
  const auto written = [](Patch& patch, std::size_t characters) {
    patch.clear(prefix);
    patch.begin(PatchOp::add, Surface::hostname);
    patch.json() << as_string(std::string(characters, 'x'));
    patch.end();
    return patch.json().size();
  };
  Patch patch;
  const std::size_t most = max_patch_bytes - written(patch, 0);
  EXPECT_EQ(written(patch, most), max_patch_bytes);
  EXPECT_EQ(patch.dropped_bytes(), 0u);
  EXPECT_EQ(written(patch, most + 1), 0u);
  EXPECT_EQ(patch.dropped_bytes(), max_patch_bytes + 1);
}

TEST(PatchTest, one_undeclared_operation_is_enough) {
  Patch patch;
  patch.clear(prefix);
  patch.begin(PatchOp::remove, Surface::hostname);
  EXPECT_TRUE(patch.is_spoiled());
  patch.begin(PatchOp::add, Surface::hostname);
  EXPECT_TRUE(patch.is_spoiled());
  patch.clear(prefix);
  EXPECT_FALSE(patch.is_spoiled());
  patch.begin(PatchOp::add, Surface::node_selector, std::string_view());
  EXPECT_TRUE(patch.is_spoiled()) << "a key has a name";
}

TEST(PatchTest, a_key_is_escaped) {
  Patch patch;
  patch.clear(prefix);
  patch.begin(PatchOp::add, Surface::node_selector, std::string_view("a.b/c~d"));
  patch.json() << 1u;
  patch.end();
  EXPECT_EQ(patch.finish(), R"([{"op":"add","path":"/spec/nodeSelector/a.b~1c~0d","value":1}])");
}

TEST(PatchTest, a_key_ends_no_string) {
  Patch patch;
  patch.clear(prefix);
  const std::string key = "a\",\"path\":\"/spec/hostname~\\\n";
  patch.begin(PatchOp::add, Surface::node_selector, std::string_view(key));
  patch.json() << 1u;
  patch.end();
  EXPECT_FALSE(patch.is_spoiled());
  const json written = json::parse(patch.finish()).at(0);
  EXPECT_EQ(written["path"], "/spec/nodeSelector/a\",\"path\":\"~1spec~1hostname~0\\\n");
  EXPECT_EQ(written["value"], 1);
}

// What a label or an owner's kind holds stands in an annotation of ours.
TEST(PatchTest, a_value_of_an_annotation_ends_no_string) {
  const std::string value =
      R"(x","op":"replace","path":"/spec/containers/0/image","value":"evil","z":")";
  Patch patch;
  patch.clear(prefix);
  patch.set_own(Surface::annotation_slice, std::nullopt, value);
  EXPECT_FALSE(patch.is_spoiled());
  const json written = json::parse(patch.finish()).at(0);
  EXPECT_EQ(written["path"], "/metadata/annotations/tpu-webhook.dev~1slice");
  EXPECT_EQ(written["value"], value);
}

// A fault of ours that no type has stopped: some byte of what was written is another one.
TEST(PatchTest, a_character_that_nobody_meant_spoils_it) {
  Patch patch;
  SharedTexts texts;
  patch.clear(prefix);
  patch.begin(PatchOp::add, Surface::hostname);
  patch.json() << as_string("worker-0 and some more characters");
  patch.end();
  patch.begin(PatchOp::add, Surface::affinity);
  patch.append(texts.get("k", [](Json& out) { out << as_string("shared"); }));
  patch.end();
  ASSERT_FALSE(patch.is_spoiled());
  const std::string_view written = patch.json().view();
  const std::size_t shared = written.find("\"shared\"");
  for (std::size_t at = 0; at < shared; ++at) {
    char& byte = const_cast<char&>(written[at]);
    for (const char wrong : {'"', '\\', '\n'}) {
      const char right = byte;
      byte = wrong;
      EXPECT_EQ(patch.is_spoiled(), !is_special(right)) << at << ' ' << wrong;
      byte = right;
    }
  }
}

// What did not fit leaves nothing: neither what was in front of it nor what comes behind is encoded
// elsewhere.
TEST(PatchTest, a_shared_text_that_does_not_fit_is_taken_back) {
  SharedTexts small, large, last;  // of a role each, so that all stay until they are encoded
  Patch patch;
  patch.clear(prefix);
  const auto add = [&](SharedTexts& texts, std::size_t size) {
    patch.begin(PatchOp::add, Surface::affinity);
    patch.append(texts.get("k", [&](Json& out) { out << as_string(std::string(size, 'x')); }));
    patch.end();
  };
  add(small, 7);
  add(large, max_patch_bytes);
  add(last, 11);
  EXPECT_GT(patch.dropped_bytes(), max_patch_bytes);
  Json encoded;
  patch.encode(encoded);
  ASSERT_LT(encoded.size(), 1000u);
  const json operations = json::parse(test::decode_base64(encoded.view()));
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0]["value"], std::string(7, 'x'));
  EXPECT_EQ(operations[1]["value"], std::string(11, 'x'));
}

// Operations that are there already begin a list or follow others.
TEST(PatchTest, takes_whole_operations) {
  SharedTexts texts;
  const auto made = [](Json& out) {
    Patch other;
    other.clear(prefix);
    for (const Surface row : {Surface::subdomain, Surface::pod_affinity}) {
      other.begin(PatchOp::add, row);
      other.json() << "{}";
      other.end();
    }
    other.append_operations_to(out);
  };
  Patch nothing;
  Json none;
  nothing.clear(prefix);
  nothing.append_operations_to(none);
  EXPECT_TRUE(none.empty());
  for (const bool first : {true, false}) {
    Patch patch;
    patch.clear(prefix);
    if (!first) patch.set_own(Surface::hostname, std::nullopt, "h");
    patch.append_operations(texts.get("k", made));
    patch.set_own(Surface::label_token, std::nullopt, "t");
    EXPECT_FALSE(patch.is_spoiled());
    EXPECT_EQ(json::parse(patch.finish()).size(), first ? 3u : 4u);
  }
}

TEST(PatchTest, a_shared_text_that_is_not_sound_spoils_it) {
  SharedText text;
  text.sound = false;
  Patch patch;
  patch.clear(prefix);
  patch.begin(PatchOp::add, Surface::affinity);
  patch.append(text);
  patch.end();
  EXPECT_TRUE(patch.is_spoiled());
}

TEST(PatchTest, the_prefix_is_escaped_as_a_pointer) {
  Patch patch;
  patch.clear("a~b.example/");
  EXPECT_EQ(patch.escaped_prefix(), "a~0b.example~1");
  patch.clear(prefix);
  EXPECT_EQ(patch.escaped_prefix(), "tpu-webhook.dev~1");
}

}  // namespace
}  // namespace tpuwh::webhook::write
