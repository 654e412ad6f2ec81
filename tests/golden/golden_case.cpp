#include "tests/golden/golden_case.hpp"

#include "tests/golden/recording.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

namespace tpuwh::test {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t columns = 130, longest = 200, piece = 100;

// A string that no line holds, in pieces that end behind a comma or a blank.
Json in_pieces(const std::string& text) {
  Json pieces = Json::array();
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.size();
    if (end - begin > piece) {
      end = text.find_last_of(", ", begin + piece - 1);
      end = end == text.npos || end < begin ? begin + piece : end + 1;
    }
    pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return {{"joined", pieces}};
}

// The value without pieces.
Json joined(const Json& value) {
  if (value.is_object() && value.size() == 1 && value.contains("joined")) {
    std::string text;
    for (const Json& each : value["joined"]) text += each.get<std::string>();
    return text;
  }
  Json out = value;
  if (out.is_structured())
    for (Json& each : out) each = joined(each);
  return out;
}

std::string in_a_line(const Json& value) {
  if (value.empty() || !value.is_structured()) return value.dump();
  std::string out;
  for (const auto& [key, each] : value.items())
    out += (out.empty() ? "" : ", ") + (value.is_object() ? Json(key).dump() + ": " : "") +
           in_a_line(each);
  return value.is_object() ? '{' + out + '}' : '[' + out + ']';
}

// The files that an outcome decides, and where it keeps them.
constexpr std::array<std::pair<const char*, Json Outcome::*>, 2> files{{
    {"patch.json", &Outcome::patch},
    {"response.json", &Outcome::response},
}};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// What `base` of a change.json names: a line of a file, the first is 1, or another case's folder.
struct Base {
  fs::path place;
  std::size_t line = 0;  // 0 of a folder
};

Base base_of(const Json& golden) {
  const std::string base = golden.at("base");
  const std::size_t hash = base.find('#');
  const fs::path place = fs::path(TPUWH_GOLDEN).parent_path() / base.substr(0, hash);
  return {place, hash == std::string::npos ? 0 : std::stoul(base.substr(hash + 1))};
}

// The patch in the answer to the recorded review that a case changes; none of any other case.
Json patch_of_base(const fs::path& folder) {
  if (!fs::exists(folder / "change.json")) return Json::array();
  const Base base = base_of(Json::parse(read_text(folder / "change.json")));
  const Json answers = wanted_responses(base.place.parent_path());
  return base.line == 0 || answers.empty() ? Json::array() : answers.at(base.line - 1)["patch"];
}

Json with_path(const Json& patch, const Json& path) {
  for (const Json& operation : patch)
    if (operation["path"] == path) return operation;
  return {{"op", "missing in the base"}, {"path", path}};  // which no answer has
}

// A patch.json with the operations of the base in the place of their paths.
Json whole(const Json& written, const Json& base) {
  Json out = Json::array();
  for (const Json& each : written) {
    if (!each.contains("of_base")) out.push_back(each);
    for (const Json& path : each.value("of_base", Json::array()))
      out.push_back(with_path(base, path));
  }
  return out;
}

// A patch as patch.json has it: the reverse.
Json shortened(const Json& patch, const Json& base) {
  Json out = Json::array();
  for (const Json& operation : patch) {
    const Json& path = operation["path"];
    if (with_path(base, path) != operation)
      out.push_back(operation);
    else if (!out.empty() && out.back().contains("of_base"))
      out.back()["of_base"].push_back(path);
    else
      out.push_back({{"of_base", Json::array({path})}});
  }
  return out;
}

void apply_its_patch(const std::string& review, Outcome& outcome) {
  if (outcome.patch.empty()) return;  // as null is
  Patched patched = apply_patch(Json::parse(review)["request"]["object"], outcome.patch);
  outcome.broken = patched.broken;
  outcome.object = std::move(patched.object);
}

}  // namespace

std::string readable(const Json& value, std::size_t indent, std::size_t used) {
  std::string flat = in_a_line(value);
  if (value.is_string() && used + flat.size() > longest)
    return readable(in_pieces(value), indent, used);
  if (used + flat.size() <= columns || value.empty() || !value.is_structured()) return flat;
  const std::string before(indent + 2, ' '), after(indent, ' ');
  std::string out;
  for (const auto& [key, each] : value.items()) {
    const std::string head = before + (value.is_object() ? Json(key).dump() + ": " : "");
    out += (out.empty() ? "" : ",\n") + head + readable(each, indent + 2, head.size());
  }
  return (value.is_object() ? "{\n" : "[\n") + out + '\n' + after + (value.is_object() ? '}' : ']');
}

std::string review_of(const fs::path& folder) {
  if (fs::exists(folder / "review.json")) return read_text(folder / "review.json");
  const Json golden = Json::parse(read_text(folder / "change.json"));
  const Base base = base_of(golden);
  std::string text = base.line ? lines_of(base.place).at(base.line - 1) : review_of(base.place);
  const Json renamed = golden.value("renamed", Json::object());
  for (const auto& [from, to] : renamed.items()) replace_all(text, from, to);
  return Json::parse(text).patch(golden.value("change", Json::array())).dump(2) + '\n';
}

std::vector<GoldenCase> find_cases(const fs::path& root) {
  std::vector<GoldenCase> cases;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() != "review.json" && entry.path().filename() != "change.json")
      continue;
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
      out.*member = joined(Json::parse(read_text(golden.folder / file)));
  if (!out.patch.is_null()) out.patch = whole(out.patch, patch_of_base(golden.folder));
  apply_its_patch(review_of(golden.folder), out);
  return out;
}

std::vector<std::string> rewrite(const GoldenCase& golden, const Outcome& outcome) {
  std::vector<std::string> changed;
  const Outcome before = wanted(golden);
  for (const auto& [file, member] : files) {
    const fs::path path = golden.folder / file;
    if (same_value(before.*member, outcome.*member)) continue;
    const Json& value = outcome.*member;
    if (value.is_null())
      fs::remove(path);
    else
      std::ofstream(path, std::ios::binary)
          << readable(value.is_array() ? shortened(value, patch_of_base(golden.folder)) : value)
          << '\n';
    changed.push_back(path.string());
  }
  return changed;
}

}  // namespace tpuwh::test
