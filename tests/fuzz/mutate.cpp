// Mutations of a review that keep it JSON: blind bytes seldom get past the reader.
// libFuzzer calls this in place of its own mutator, to which every fourth call goes.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

std::vector<std::string> split(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

// What decisions read, so that chance finds it.
const std::vector<std::string> words = split(R"(
    0 1 2 3 01 -1 4294967296 localhost localhost:8471 false none v1; v2;x x-y a.b TPU_WORKER_ID
    TPU_WORKER_HOSTNAMES TPU_PROCESS_ADDRESSES TPU_PROCESS_PORT TPU_NAME MEGASCALE_NUM_SLICES
    MEGASCALE_SLICE_ID MEGASCALE_COORDINATOR_ADDRESS MEGASCALE_PORT TPU_DEVICE_PLUGIN_HOST_IP
    TPU_DEVICE_PLUGIN_ADDR $(TPU_DEVICE_PLUGIN_HOST_IP):2112 1x1 2x2 2x4 4x4 2x2x1 2x2x2 3x3 4X4
    1024x1024 tpu-v6e-slice tpu-v5-lite-podslice tpu-v5p-slice tpu7x tpu7
    cloud.google.com/gke-nodepool In NotIn Exists Always worker ClusterFirst None 8471 65536)");
const std::vector<std::string> keys = split(R"(
    metadata spec labels annotations nodeSelector affinity nodeAffinity podAffinity
    podAntiAffinity requiredDuringSchedulingIgnoredDuringExecution
    preferredDuringSchedulingIgnoredDuringExecution nodeSelectorTerms matchExpressions
    matchFields key operator values containers initContainers env name value valueFrom resources
    limits requests google.com/tpu hostname subdomain hostnameOverride dnsPolicy hostNetwork
    priority schedulingGates schedulingGroup ownerReferences uid kind controller restartPolicy
    topologyKey namespaceSelector labelSelector weight podAffinityTerm
    cloud.google.com/gke-tpu-accelerator cloud.google.com/gke-tpu-topology
    cloud.google.com/gke-tpu-slice-topology cloud.google.com/gke-nodepool
    cloud.google.com/gke-accelerator-count cloud.google.com/gke-tpu-slice-2x4-id
    batch.kubernetes.io/job-completion-index batch.kubernetes.io/job-name job-name
    jobset.sigs.k8s.io/jobset-name jobset.sigs.k8s.io/replicatedjob-name
    jobset.sigs.k8s.io/replicatedjob-replicas jobset.sigs.k8s.io/job-index
    jobset.sigs.k8s.io/group-name jobset.sigs.k8s.io/group-replicas
    jobset.sigs.k8s.io/job-group-index ray.io/node-type ray.io/cluster ray.io/group
    ray.io/worker-group-replica-index ray.io/replica-host-index replicaIndex
    kueue.x-k8s.io/queue-name alpha.jobset.sigs.k8s.io/exclusive-topology
    tpu-webhook.dev/slice-key tpu-webhook.dev/priority tpu-webhook.dev/injected
    tpu-webhook.dev/slice tpu-webhook.dev/inject tpu-webhook.dev/exclusive-topology operation
    dryRun subResource object request)");

std::size_t below(Random& random, std::size_t bound) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

const std::string& any(Random& random, const std::vector<std::string>& of) {
  return of[below(random, of.size())];
}

void collect(Json& value, std::vector<Json*>& out) {
  out.push_back(&value);
  if (value.is_structured())
    for (Json& member : value) collect(member, out);
}

Json scalar(Random& random) {
  switch (below(random, 9)) {
    case 0:
      return nullptr;
    case 1:
      return below(random, 2) == 0;
    case 2:
      return static_cast<int>(below(random, 20)) - 2;
    case 3:
      return Json::object();
    case 4:
      return Json::array();
    case 5:
      return "";
    default:
      return any(random, words);
  }
}

void change_object(Json& object, const Json& other, Random& random) {
  const std::size_t what = below(random, 3);
  if (what == 0 && !object.empty()) {
    auto at = object.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(below(random, object.size())));
    object.erase(at);
  } else {
    object[any(random, keys)] = what == 1 ? other : scalar(random);
  }
}

void change_array(Json& array, const Json& other, Random& random) {
  const std::size_t what = below(random, 4);
  if (array.empty() || what == 0)
    array.push_back(other);
  else if (what == 1)
    array.erase(below(random, array.size()));
  else if (what == 2)
    array.push_back(Json(array[below(random, array.size())]));
  else
    array.push_back({{"name", any(random, words)}, {"value", any(random, words)}});
}

void change(Json& document, Random& random) {
  std::vector<Json*> values;
  collect(document, values);
  Json& value = *values[below(random, values.size())];
  const Json other = *values[below(random, values.size())];
  if (value.is_object() && below(random, 4) != 0)
    change_object(value, other, random);
  else if (value.is_array() && below(random, 4) != 0)
    change_array(value, other, random);
  else
    value = below(random, 3) == 0 ? other : scalar(random);
}

// Empty where it is no JSON. A letter in front, as of the target admit, stays or becomes another.
std::string changed(std::string_view text, Random& random) {
  std::string out;
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    out = below(random, 4) == 0 ? "msv"[below(random, 3)] : text.front();
    text.remove_prefix(1);
  }
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return {};
  for (std::size_t i = 0, times = 1 + below(random, 4); i < times; ++i) change(document, random);
  return out + document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// One of several lines is another, or gone, or said once more at the end.
std::string changed_lines(std::string_view text, Random& random) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  std::size_t begin = 0;
  for (std::size_t skip = below(random, lines); skip > 0; --skip)
    begin = text.find('\n', begin) + 1;
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  const std::string front(text.substr(0, begin)), behind(text.substr(begin + line.size()));
  switch (below(random, 6)) {
    case 0:
      return front + behind.substr(std::min<std::size_t>(1, behind.size()));
    case 1:
      return std::string(text) + '\n' + std::string(line);
    default: {
      const std::string other = changed(line, random);
      return other.empty() ? other : front + other + behind;
    }
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  Random random(seed);
  if (below(random, 4) == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  std::string text = changed(given, random);
  if (text.empty()) text = changed_lines(given, random);
  if (text.empty() || text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
