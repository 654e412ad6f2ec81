#include "webhook/write/surface.hpp"

#include "webhook/reasons/declared.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/has.hpp"
namespace tpuwh::webhook::write {
namespace {

using test::has;

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
      EXPECT_FALSE(has(row.path, never));
}

TEST(Surface, declares_a_path_or_not) {
  const auto expect = [](bool declared, PatchOp op, std::initializer_list<std::string_view> paths) {
    for (const std::string_view path : paths)
      EXPECT_EQ(reasons::find_row(op, path, escaped) != nullptr, declared)
          << name(op) << ' ' << path;
  };
  expect(
      true, PatchOp::add,
      {"/spec/containers/0/env/0", "/spec/initContainers/10/env/3",
       "/metadata/labels/tpu-webhook.dev~1slice-key", "/metadata/labels", "/spec/nodeSelector/a"});
  expect(true, PatchOp::replace,
         {"/spec/containers/0/env/0/value", "/metadata/labels/tpu-webhook.dev~1slice-key"});
  expect(
      false, PatchOp::add,
      {"/spec/ephemeralContainers/0/env/0", "/spec/containers/0/env/-", "/spec/containers/00/env/0",
       "/spec/containers/-1/env/0", "/spec/containers//env/0", "/spec/containers/a/env/0",
       "/spec/containers/*/env/0", "/spec/containers/0/env/0/value", "/spec/containers/0",
       "/metadata/labels/tpu-webhook.dev/slice-key", "/metadata/labels/evil.dev~1slice-key",
       "/metadata/labels/app", "/metadata/annotations/tpu-webhook.dev~1inject",
       "/spec/nodeSelector", "/spec/nodeSelector/a/b"});
  expect(false, PatchOp::replace,
         {"/spec/containers/0/env/0/name", "/spec/containers/0/image", "/spec", "",
          "/metadata/labels", "/spec/nodeSelector/a", "/spec/affinity"});
  expect(false, PatchOp::remove, {"/metadata/labels/tpu-webhook.dev~1slice-key", "/spec/affinity"});
}

TEST(SurfaceNames, are_those_of_the_rfc) {
  EXPECT_EQ(name(PatchOp::add), "add");
  EXPECT_EQ(name(PatchOp::replace), "replace");
  EXPECT_EQ(name(PatchOp::remove), "remove");
}

}  // namespace
}  // namespace tpuwh::webhook::write
