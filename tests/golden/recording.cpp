#include "tests/golden/recording.hpp"

#include "tests/golden/golden_case.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tpuwh::test {

namespace fs = std::filesystem;

std::vector<fs::path> find_recordings(const fs::path& root) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(root))
    if (fs::exists(entry.path() / "reviews.jsonl")) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> out;
  std::istringstream text(read_text(file));
  for (std::string line; std::getline(text, line);) out.push_back(line);
  return out;
}

Responses responses_to(const std::vector<std::string>& reviews) {
  Responses out;
  webhook::ledger::MemoryLedger ledger;
  for (const std::string& review : reviews) {
    Reply reply = ask(review, {}, webhook::read::NoCluster(), ledger);
    if (reply.http_status != 200) reply.broken = "not answered: " + reply.body;
    if (!reply.broken.empty()) {
      out.broken = "review " + std::to_string(out.list.size() + 1) + ": " + reply.broken;
      return out;
    }
    reply.response["patch"] = reply.patch;
    out.list.push_back(std::move(reply.response));
  }
  return out;
}

namespace {

// A patch with these operations in the place of its own of the same paths.
Json with(Json patch, const Json& operations) {
  for (Json& each : patch)
    for (const Json& operation : operations)
      if (operation["path"] == each["path"]) each = operation;
  return patch;
}

// A response without the operations that an earlier one's patch has, too: of the first earlier one
// that leaves the fewest.
Json shortened(const Json& responses, std::size_t number) {
  const Json& patch = responses[number]["patch"];
  Json out = responses[number];
  for (std::size_t i = 0; i < number; ++i) {
    const Json& before = responses[i]["patch"];
    Json rest = Json::array();
    for (const Json& each : patch)
      if (std::ranges::find(before, each) == before.end()) rest.push_back(each);
    if (rest.size() >= out["patch"].size() || with(before, rest) != patch) continue;
    out["like"] = i + 1;
    out["patch"] = rest;
  }
  return out;
}

void write(std::ostream& out, Json response) {
  const Json patch = response["patch"];
  response.erase("patch");
  std::string head = response.dump();
  head.pop_back();
  out << head << ",\"patch\":[";
  for (std::size_t i = 0; i < patch.size(); ++i) out << (i ? "," : "") << "\n  " << patch[i].dump();
  out << "]}";
}

}  // namespace

Json wanted_responses(const fs::path& recording) {
  const fs::path file = recording / "responses.json";
  Json out = Json::array();
  if (!fs::exists(file)) return out;
  for (Json response : Json::parse(read_text(file))) {
    if (response.contains("like"))
      response["patch"] =
          with(out.at(response["like"].get<std::size_t>() - 1)["patch"], response["patch"]);
    response.erase("like");
    out.push_back(std::move(response));
  }
  return out;
}

std::string as_written(const Json& responses) {
  std::ostringstream out;
  out << "[\n";
  for (std::size_t i = 0; i < responses.size(); ++i) {
    out << (i ? ",\n" : "");
    write(out, shortened(responses, i));
  }
  out << "\n]\n";
  return out.str();
}

bool rewrite_responses(const fs::path& recording, const Json& responses) {
  const fs::path file = recording / "responses.json";
  const std::string text = as_written(responses);
  if (fs::exists(file) && read_text(file) == text) return false;
  std::ofstream(file, std::ios::binary) << text;
  return true;
}

}  // namespace tpuwh::test
