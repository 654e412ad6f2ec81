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

constexpr std::string_view names[] = {"jobset", "ray", "lws"};
// In the order of the names.
constexpr Recorded recordings[] = {
    {"jobset-multislice-kueue", 0}, {"raycluster-indexed", 1}, {"lws", 0}};

std::string read(const Recorded& recorded) {
  const std::string file = TPUWH_RECORDED "/" + std::string(recorded.folder) + "/reviews.jsonl";
  std::ifstream in(file, std::ios::binary);
  std::string line;
  for (unsigned i = 0; i <= recorded.review; ++i)
    if (!std::getline(in, line)) throw std::runtime_error("cannot read a review of " + file);
  return line + '\n';
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

std::span<const std::string_view> payload_names() {
  return names;
}

std::string payload(std::string_view name) {
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name) return read(recordings[i]);
  throw std::runtime_error("no payload is called " + std::string(name));
}

}  // namespace tpuwh::bench
