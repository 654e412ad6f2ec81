#include "bench/payload.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tpuwh::bench {

namespace {

struct Recorded {
  std::string_view folder;
  unsigned review;  // of its file, from 0
};

constexpr std::string_view names[] = {"jobset",      "ray", "lws",  "job",
                                      "statefulset", "pod", "long", "large"};
// In the order of the names.
constexpr Recorded recordings[] = {{"jobset-multislice-kueue", 0},
                                   {"raycluster-indexed", 1},
                                   {"lws", 0},
                                   {"job-2x4", 0},
                                   {"statefulset", 0},
                                   {"pod-single-host", 0}};

std::string read(const Recorded& recorded) {
  const std::string file = TPUWH_RECORDED "/" + std::string(recorded.folder) + "/reviews.jsonl";
  std::ifstream in(file, std::ios::binary);
  std::string line;
  for (unsigned i = 0; i <= recorded.review; ++i)
    if (!std::getline(in, line)) throw std::runtime_error("cannot read a review of " + file);
  return line + '\n';
}

// What makes a Pod large: many variables, and itself as kubectl applied it, a string in which every
// quote is escaped.
std::string large_review() {
  auto review = nlohmann::ordered_json::parse(read(recordings[0]));
  auto& pod = review["request"]["object"];
  auto& env = pod["spec"]["containers"][0]["env"];
  for (int i = 0; i < 150; ++i)
    env.push_back({{"name", "SETTING_" + std::to_string(i)}, {"value", std::string(60, 'v')}});
  const std::string text = pod.dump();
  auto& annotations = pod["metadata"]["annotations"];
  for (const char* copy : {"kubectl.kubernetes.io/last-applied-configuration",
                           "team.example/before", "team.example/template"})
    annotations[copy] = text;
  return review.dump() + '\n';
}

constexpr std::size_t long_bytes = 44'000;

// Returns the JobSet's review with long annotations. The recorded reviews have short annotations,
// so the code that reads long ones is not optimized for them (TPUWH_TRAIN).
std::string long_review() {
  auto review = nlohmann::ordered_json::parse(read(recordings[0]));
  auto& annotations = review["request"]["object"]["metadata"]["annotations"];
  const std::string note = "a sentence with \"quotes\" and {braces}: " + std::string(300, 'x');
  for (int i = 0; review.dump().size() < long_bytes; ++i)
    annotations["example.com/note-" + std::to_string(i)] = note;
  return review.dump() + '\n';
}

}  // namespace

std::string jobset_review() {
  return read(recordings[0]);
}

std::string jobset_review_of(const std::string& topology) {
  auto review = nlohmann::ordered_json::parse(jobset_review());
  auto& selector = review["request"]["object"]["spec"]["nodeSelector"];
  selector["cloud.google.com/gke-tpu-accelerator"] = "tpu-v5p-slice";
  selector["cloud.google.com/gke-tpu-topology"] = topology;
  return review.dump() + '\n';
}

std::string payload(std::string_view name) {
  if (name == "large") return large_review();
  if (name == "long") return long_review();
  for (std::size_t i = 0; i < std::size(recordings); ++i)
    if (names[i] == name) return read(recordings[i]);
  throw std::runtime_error("no payload is called " + std::string(name));
}

}  // namespace tpuwh::bench
