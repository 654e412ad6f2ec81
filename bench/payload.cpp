#include "bench/payload.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace tpuwh::bench {

namespace {

// The first review of the recording is the leader of slice 0.
std::string recorded() {
  const std::string file = TPUWH_RECORDED "/jobset-multislice-kueue/reviews.jsonl";
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error("cannot read a review of " + file);
  return line + '\n';
}

}  // namespace

std::string jobset_review() {
  return recorded();
}

std::string jobset_review_of(const std::string& topology) {
  auto review = nlohmann::ordered_json::parse(recorded());
  auto& selector = review["request"]["object"]["spec"]["nodeSelector"];
  selector["cloud.google.com/gke-tpu-accelerator"] = "tpu-v5p-slice";
  selector["cloud.google.com/gke-tpu-topology"] = topology;
  return review.dump() + '\n';
}

}  // namespace tpuwh::bench
