// What is made of a TrainJob or a DisaggregatedSet is what their controllers' own code made of the
// same file: tests/golden/wrappers, recorded by record.py there.
#include "server/text/json_text.hpp"
#include "tests/unit/kubectl/predict/wrappers/opened.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tpuwh::server::wrappers {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Without what is not read: what controllers leave empty, volumes and mounts, owners and the hash.
Json plain(const Json& value) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& each : value) out.push_back(plain(each));
    return out;
  }
  // A number of Kubernetes is a text where Go prints it.
  if (!value.is_object()) return value.is_number() ? Json(value.dump()) : value;
  Json out = Json::object();
  for (const auto& [key, member] : value.items()) {
    if (key == "volumes" || key == "volumeMounts" || key == "ownerReferences" || key == "status" ||
        key == "creationTimestamp" || key == "resourceVersion" ||
        key == "disaggregatedset.x-k8s.io/revision")
      continue;
    Json below = plain(member);
    const bool empty = below.is_null() || below == "" || (below.is_structured() && below.empty());
    if (!empty) out[key] = std::move(below);
  }
  return out;
}

// "chat-1f2e3d4c-prefill" without its hash.
void forget_hash(Json& object) {
  if (object["kind"] != "LeaderWorkerSet") return;
  std::string name = object["metadata"]["name"];
  const auto first = name.find('-');
  object["metadata"]["name"] = name.erase(first, 9);
}

nlohmann::json sorted(const Json& object) {
  return nlohmann::json::parse(object.dump());
}

std::vector<nlohmann::json> recorded(const std::filesystem::path& file) {
  std::vector<nlohmann::json> out;
  std::istringstream lines(content_of(file));
  for (std::string line; std::getline(lines, line);) {
    Json object = plain(Json::parse(line));
    forget_hash(object);
    out.push_back(sorted(object));
  }
  return out;
}

std::vector<nlohmann::json> made(const std::filesystem::path& file) {
  std::vector<nlohmann::json> out;
  const Opened all = opened(content_of(file));
  EXPECT_THAT(faults_of(all), testing::IsEmpty());
  for (const source::Manifest& each : all.objects) {
    Json object = plain(each.object);
    forget_hash(object);
    out.push_back(sorted(object));
  }
  return out;
}

TEST(WhatIsMade, is_what_the_controllers_make) {
  std::size_t objects = 0;
  for (const auto& each : std::filesystem::directory_iterator(TPUWH_TESTS "/golden/wrappers")) {
    if (each.path().extension() != ".yaml") continue;
    const auto want = recorded(std::filesystem::path(each.path()).replace_extension(".jsonl"));
    const auto have = made(each.path());
    ASSERT_EQ(have.size(), want.size()) << each.path();
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(nlohmann::json::diff(want[i], have[i]), nlohmann::json::array())
          << each.path() << '\n'
          << have[i].dump(1);
    objects += want.size();
  }
  EXPECT_EQ(objects, 7u);
}

}  // namespace
}  // namespace tpuwh::server::wrappers
