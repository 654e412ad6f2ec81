#include "webhook/reasons/declared.hpp"

#include <algorithm>

namespace tpuwh::webhook::reasons {

using write::PatchOp;
using write::SurfaceRow;

namespace {

// Takes a canonical index ("0", "17") off the front of `path`.
bool take_index(std::string_view& path) {
  std::size_t digits = 0;
  while (digits < path.size() && path[digits] >= '0' && path[digits] <= '9') ++digits;
  if (digits == 0 || (digits > 1 && path.front() == '0')) return false;
  path.remove_prefix(digits);
  return true;
}

bool matches(std::string_view pattern, std::string_view path, std::string_view escaped_prefix) {
  while (!pattern.empty()) {
    if (pattern.front() == '*') {
      if (!take_index(path)) return false;
      pattern.remove_prefix(1);
    } else if (pattern.starts_with(write::key_mark)) {
      const std::size_t key = std::min(path.find('/'), path.size());
      if (key == 0) return false;
      path.remove_prefix(key);
      pattern.remove_prefix(write::key_mark.size());
    } else if (pattern.front() == '<') {
      if (!path.starts_with(escaped_prefix)) return false;
      path.remove_prefix(escaped_prefix.size());
      pattern.remove_prefix(write::prefix_mark.size());
    } else {
      if (path.empty() || path.front() != pattern.front()) return false;
      path.remove_prefix(1);
      pattern.remove_prefix(1);
    }
  }
  return path.empty();
}

}  // namespace

std::optional<PatchOp> op_of(std::string_view name) {
  const auto found =
      std::ranges::find(write::patch_ops, name, [](PatchOp op) { return write::name(op); });
  return found == write::patch_ops.end() ? std::nullopt : std::optional(*found);
}

bool allows(const SurfaceRow& row, PatchOp op, std::string_view path,
            std::string_view escaped_prefix) {
  return row.allows(op) && matches(row.path, path, escaped_prefix);
}

const SurfaceRow* find_row(PatchOp op, std::string_view path, std::string_view escaped_prefix) {
  const auto all = write::surface();
  const auto found = std::ranges::find_if(
      all, [&](const SurfaceRow& row) { return allows(row, op, path, escaped_prefix); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tpuwh::webhook::reasons
