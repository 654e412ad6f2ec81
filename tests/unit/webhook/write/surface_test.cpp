#include "webhook/write/surface.hpp"

#include "webhook/reasons/declared.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/named_case.hpp"

namespace tpuwh::webhook::write {
namespace {

using test::case_name;
using test::PrintTo;

constexpr std::string_view escaped = "tpu-webhook.dev~1";

// A path that the row's pattern describes.
std::string example(const SurfaceRow& row) {
  std::string path(row.path);
  for (auto at = path.find('*'); at != std::string::npos; at = path.find('*'))
    path.replace(at, 1, "7");
  if (const auto at = path.find("<key>"); at != std::string::npos) path.replace(at, 5, "a.b~1c");
  if (const auto at = path.find("<prefix>"); at != std::string::npos) path.replace(at, 8, escaped);
  return path;
}

TEST(SurfaceTable, each_row_allows_its_own_path_and_says_why) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < surface().size(); ++i) {
    const SurfaceRow& row = surface()[i];
    const std::string path = example(row);
    EXPECT_TRUE(seen.insert(std::string(name(row.op)) + path).second) << path;
    EXPECT_TRUE(reasons::allows(row, row.op, path, escaped)) << path;
    EXPECT_EQ(reasons::find_row(row.op, path, escaped), &row) << path;
    EXPECT_EQ(reasons::allows(row, PatchOp::replace, path, escaped),
              row.op == PatchOp::replace || row.also_replace);
    EXPECT_FALSE(row.when.empty() || row.why.empty()) << path;
    std::vector<std::string> others = {path + "/", path + "/0", "/" + path, path.substr(1)};
    const bool any_key = row.path.ends_with("<key>");
    if (!any_key) others.insert(others.end(), {path + "x", path.substr(0, path.size() - 1)});
    for (const std::string& other : others)
      EXPECT_FALSE(reasons::allows(row, row.op, other, escaped)) << other;
    EXPECT_FALSE(reasons::allows(row, row.op, path.substr(0, path.rfind('/')), escaped));
  }
}

TEST(SurfaceTable, an_index_is_a_whole_number_as_it_is_written) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < surface().size(); ++i) {
    const SurfaceRow& row = surface()[i];
    const auto at = row.path.find('*');
    if (at == std::string_view::npos) continue;
    ++rows;
    const auto allowed = [&](std::string_view index) {
      std::string path(row.path);
      path.replace(at, 1, index);
      for (auto next = path.find('*'); next != std::string::npos; next = path.find('*'))
        path.replace(next, 1, "0");
      return reasons::allows(row, row.op, path, escaped);
    };
    for (const char* index : {"0", "1", "9", "10", "19", "90", "99", "1000000"})
      EXPECT_TRUE(allowed(index)) << row.path << ' ' << index;
    for (const char* index : {"", "-", "-1", "00", "01", "1a", ":", "/", "1/0"})
      EXPECT_FALSE(allowed(index)) << row.path << ' ' << index;
  }
  EXPECT_GT(rows, 4u);
}

TEST(SurfaceTable, what_is_never_in_it) {
  for (const SurfaceRow& row : surface())
    for (const char* never :
         {"image", "command", "args", "ports", "securityContext", "volume", "serviceAccount",
          "resources", "tolerations", "nodeName", "valueFrom"})
      EXPECT_EQ(row.path.find(never), std::string_view::npos) << row.path;
}

struct Path {
  std::string_view name;
  PatchOp op;
  std::string_view path;
  bool want = false;
};

class Declared : public testing::TestWithParam<Path> {};

TEST_P(Declared, or_not) {
  EXPECT_EQ(reasons::find_row(GetParam().op, GetParam().path, escaped) != nullptr, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Surface, Declared,
    testing::Values(
        Path{"env_entry", PatchOp::add, "/spec/containers/0/env/0", true},
        Path{"init_env_entry", PatchOp::add, "/spec/initContainers/10/env/3", true},
        Path{"ephemeral", PatchOp::add, "/spec/ephemeralContainers/0/env/0"},
        Path{"env_append", PatchOp::add, "/spec/containers/0/env/-"},
        Path{"leading_zero", PatchOp::add, "/spec/containers/00/env/0"},
        Path{"negative", PatchOp::add, "/spec/containers/-1/env/0"},
        Path{"no_index", PatchOp::add, "/spec/containers//env/0"},
        Path{"letter", PatchOp::add, "/spec/containers/a/env/0"},
        Path{"star", PatchOp::add, "/spec/containers/*/env/0"},
        Path{"env_name", PatchOp::replace, "/spec/containers/0/env/0/name"},
        Path{"env_value", PatchOp::replace, "/spec/containers/0/env/0/value", true},
        Path{"env_value_added", PatchOp::add, "/spec/containers/0/env/0/value"},
        Path{"image", PatchOp::replace, "/spec/containers/0/image"},
        Path{"container", PatchOp::add, "/spec/containers/0"},
        Path{"whole_spec", PatchOp::replace, "/spec"}, Path{"root", PatchOp::replace, ""},
        Path{"own_label", PatchOp::add, "/metadata/labels/tpu-webhook.dev~1slice-key", true},
        Path{"own_label_replaced", PatchOp::replace, "/metadata/labels/tpu-webhook.dev~1slice-key",
             true},
        Path{"own_label_removed", PatchOp::remove, "/metadata/labels/tpu-webhook.dev~1slice-key"},
        Path{"unescaped_prefix", PatchOp::add, "/metadata/labels/tpu-webhook.dev/slice-key"},
        Path{"other_prefix", PatchOp::add, "/metadata/labels/evil.dev~1slice-key"},
        Path{"users_label", PatchOp::add, "/metadata/labels/app"},
        Path{"labels", PatchOp::add, "/metadata/labels", true},
        Path{"labels_replaced", PatchOp::replace, "/metadata/labels"},
        Path{"annotation_inject", PatchOp::add, "/metadata/annotations/tpu-webhook.dev~1inject"},
        Path{"selector", PatchOp::add, "/spec/nodeSelector/a", true},
        Path{"selector_replaced", PatchOp::replace, "/spec/nodeSelector/a"},
        Path{"all_selectors", PatchOp::add, "/spec/nodeSelector"},
        Path{"below_a_selector", PatchOp::add, "/spec/nodeSelector/a/b"},
        Path{"affinity_replaced", PatchOp::replace, "/spec/affinity"},
        Path{"affinity_removed", PatchOp::remove, "/spec/affinity"}),
    case_name);

TEST(SurfaceNames, are_those_of_the_rfc) {
  EXPECT_EQ(name(PatchOp::add), "add");
  EXPECT_EQ(name(PatchOp::replace), "replace");
  EXPECT_EQ(name(PatchOp::remove), "remove");
}

}  // namespace
}  // namespace tpuwh::webhook::write
