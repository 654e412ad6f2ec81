#include "kubectl/inspect/source/input_files.hpp"

#include "base/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace tpuwh::server::source {

namespace {

namespace fs = std::filesystem;

constexpr auto what_is_read =
    "a file, a folder with .yaml, .yml or .json files, or - for standard input";

// Of folders in folders; links to folders are not followed.
constexpr int deepest_folder = 64;

Error cannot_read(const std::string& path, const std::error_code& why) {
  return bad_value(
      fmt::format("cannot read {}: {}; expected {}", path, why.message(), what_is_read));
}

bool is_manifest(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

// Hidden ones are of a program's own: of a mounted ConfigMap they are all files once more.
bool is_hidden(const fs::path& path) {
  return path.filename().native().starts_with('.');
}

Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code wrong;
  fs::recursive_directory_iterator at(folder, wrong);
  for (const fs::recursive_directory_iterator end; !wrong && at != end; at.increment(wrong)) {
    std::error_code unknown;
    const bool is_folder = at->is_directory(unknown);
    if (is_folder && (is_hidden(at->path()) || at.depth() + 1 >= deepest_folder))
      at.disable_recursion_pending();
    if (!is_folder && is_manifest(at->path()) && !is_hidden(at->path()))
      out.push_back(at->path().string());
  }
  if (wrong) return cannot_read(folder, wrong);
  if (out.empty())
    return bad_value(fmt::format("folder {} holds no .yaml, .yml or .json file; expected {}",
                                 folder, what_is_read));
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::string spoken_file(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

Result<std::vector<std::string>> input_files(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  if (std::ranges::count(names, "-") > 1)
    return bad_value("- is given twice; expected it once: standard input is read once");
  for (const std::string& name : names) {
    if (name == "-") {
      out.push_back(name);
      continue;
    }
    std::error_code wrong;
    const auto status = fs::status(name, wrong);
    if (wrong) return cannot_read(name, wrong);
    if (!fs::is_directory(status)) {
      out.push_back(name);
      continue;
    }
    auto found = files_in(name);
    if (!found) return found.error();
    out.insert(out.end(), found->begin(), found->end());
  }
  return out;
}

}  // namespace tpuwh::server::source
