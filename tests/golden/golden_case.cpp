#include "tests/golden/golden_case.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

namespace tpuwh::test {

namespace {

namespace fs = std::filesystem;

// The files that an outcome decides, and where it keeps them.
constexpr std::array<std::pair<const char*, Json Outcome::*>, 2> files{{
    {"patch.json", &Outcome::patch},
    {"response.json", &Outcome::response},
}};

void apply_its_patch(const std::string& review, Outcome& outcome) {
  if (outcome.patch.empty()) return;  // as null is
  Patched patched = apply_patch(Json::parse(review)["request"]["object"], outcome.patch);
  outcome.broken = patched.broken;
  outcome.object = std::move(patched.object);
}

}  // namespace

std::vector<GoldenCase> find_cases(const fs::path& root) {
  std::vector<GoldenCase> cases;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() != "review.json") continue;
    const fs::path folder = entry.path().parent_path();
    cases.push_back({folder.parent_path().filename().string(), folder.filename().string(), folder});
  }
  std::ranges::sort(cases, {}, &GoldenCase::folder);
  return cases;
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

std::string underscored(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Outcome outcome_of(const std::string& review) {
  Reply reply = ask(review);
  Outcome out;
  out.broken = reply.broken;
  if (reply.http_status != 200) out.broken = "not answered: " + reply.body;
  if (!out.broken.empty()) return out;

  const bool denied = reply.response["allowed"] == false;
  if (denied || reply.response.contains("warnings")) {
    out.response = reply.response;
    out.response.erase("uid");
  }
  if (denied) return out;
  out.patch = reply.patch;
  apply_its_patch(review, out);
  return out;
}

std::string with_object(const std::string& review, const Json& object) {
  Json again = Json::parse(review);
  again["request"]["object"] = object;
  return again.dump();
}

Outcome wanted(const GoldenCase& golden) {
  Outcome out;
  for (const auto& [file, member] : files)
    if (fs::exists(golden.folder / file))
      out.*member = Json::parse(read_text(golden.folder / file));
  apply_its_patch(read_text(golden.folder / "review.json"), out);
  return out;
}

std::vector<std::string> rewrite(const GoldenCase& golden, const Outcome& outcome) {
  std::vector<std::string> changed;
  const Outcome before = wanted(golden);
  for (const auto& [file, member] : files) {
    const fs::path path = golden.folder / file;
    if (same_value(before.*member, outcome.*member)) continue;
    if ((outcome.*member).is_null())
      fs::remove(path);
    else
      std::ofstream(path, std::ios::binary) << (outcome.*member).dump(2) << '\n';
    changed.push_back(path.string());
  }
  return changed;
}

}  // namespace tpuwh::test
