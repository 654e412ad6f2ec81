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

Json wanted_responses(const fs::path& recording) {
  const fs::path file = recording / "responses.json";
  return fs::exists(file) ? Json::parse(read_text(file)) : Json::array();
}

namespace {

// canonical.py of tests/e2e writes the same text.
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

bool rewrite_responses(const fs::path& recording, const Json& responses) {
  if (same_value(wanted_responses(recording), responses)) return false;
  std::ofstream out(recording / "responses.json", std::ios::binary);
  out << "[\n";
  for (std::size_t i = 0; i < responses.size(); ++i) {
    out << (i ? ",\n" : "");
    write(out, responses[i]);
  }
  out << "\n]\n";
  return true;
}

}  // namespace tpuwh::test
