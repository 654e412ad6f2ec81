// store_memory [members]: memory and time of a server's store with a large cluster: 100,000 Ray
// workers (or members of Jobs' slices), each an object of some 12 KB, and 15,000 Nodes, listed
// twice; before them 100,000 Pods with a worker's labels that ask for no chips. Prints a table for
// RESULTS.md.
//
// store_memory claims: the same of 10,000 ResourceClaimTemplates, claims by their own name, and
// claims that Kubernetes made from a template.
#include "server/kube/decode/list_decoder.hpp"
#include "server/kube/store/store.hpp"

#include <unistd.h>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>

namespace {

using namespace tpuwh::server::kube;

constexpr unsigned pods = 100'000, nodes = 15'000, page_size = 500, group_size = 256;

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// What fields that nothing reads weigh in a Pod of a real cluster.
const std::string ballast(9'000, 'x');

std::string pod(unsigned number) {
  const std::string index = std::to_string(number),
                    cluster = "cluster-" + std::to_string(number / group_size);
  const std::string host = std::to_string(number % group_size);
  char mark[17];
  std::snprintf(mark, sizeof mark, "%016x", number);
  std::string text =
      R"({"metadata":{"name":"worker-)" + index +
      R"(","namespace":"team","uid":"0b9e3a5c-0000-4000-8000-)" +
      std::string(12 - index.size(), '0') + index +
      R"(","labels":{"ray.io/node-type":"worker","ray.io/cluster":")" + cluster +
      R"(","ray.io/group":"workers","tpu-webhook.dev/token":")" + std::to_string(number % 4) + '-' +
      host + '-' + mark +
      R"("},"ownerReferences":[{"apiVersion":"ray.io/v1","kind":"RayCluster","name":")" + cluster +
      R"(","uid":"1b9e3a5c-0000-4000-8000-)" + std::string(12 - index.size(), '0') +
      std::to_string(number / group_size) +
      R"(","controller":true}],"managedFields":[{"manager":")" + ballast +
      R"("}]},"spec":{"nodeName":"node-)" + std::to_string(number % nodes) +
      R"(","nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice","cloud.google.com/gke-tpu-topology":"16x16"},"containers":[{"name":"w","env":[)";
  for (int i = 0; i < 20; ++i)
    text += std::string(i == 0 ? "" : ",") + R"({"name":"V)" + std::to_string(i) +
            R"(","value":"some value of the user's"})";
  return text +
         R"(],"resources":{"limits":{"google.com/tpu":"4"}}}]},"status":{"phase":"Running"}})";
}

// A worker's labels, and nothing that a rule reads.
std::string forged_pod(unsigned number) {
  std::string text = pod(number);
  const std::string chips = R"("google.com/tpu")";
  return text.replace(text.find(chips), chips.size(), R"("cpu")");
}

// Of no interest: a Deployment's, say.
std::string other_pod(unsigned number) {
  std::string text = forged_pod(number);
  const std::string label = R"("ray.io/node-type")";
  return text.replace(text.find(label), label.size(), R"("app.kubernetes.io")");
}

// A member of a slice of four hosts, of a Job: it holds chips, and no ledger knows it.
std::string slice_member(unsigned number) {
  std::string text = other_pod(number);
  const std::string cpu = R"("cpu")", label = R"("app.kubernetes.io")";
  text.replace(text.find(cpu), cpu.size(), R"("google.com/tpu")");
  char key[33];
  std::snprintf(key, sizeof key, "%032x", number / 4 + 1);
  return text.replace(text.find(label), label.size(),
                      R"("tpu-webhook.dev/slice-key":")" + std::string(key) + R"(",)" + label);
}

// As many labels as a node of GKE has.
std::string node(unsigned number) {
  const std::string index = std::to_string(number);
  std::string labels;
  for (int i = 0; i < 24; ++i)
    labels += R"("cloud.google.com/gke-some-label-)" + std::to_string(i) + R"(":"some-value",)";
  return R"({"metadata":{"name":"node-)" + index + R"(","labels":{)" + labels +
         R"("cloud.google.com/gke-nodepool":"pool-)" + std::to_string(number / 64) +
         R"(","kubernetes.io/hostname":"node-)" + index +
         R"(","cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice","cloud.google.com/gke-tpu-topology":"16x16","topology.kubernetes.io/zone":"us-east5-b","topology.kubernetes.io/region":"us-east5"},"managedFields":[{"manager":")" +
         ballast + R"("}]},"status":{"allocatable":{"google.com/tpu":"4","cpu":"180"}}})";
}

template <class Make>
std::string page_of(unsigned begin, unsigned end, Make&& make) {
  std::string page =
      R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)";
  for (unsigned i = begin; i < end; ++i) page.append(i == begin ? "" : ",").append(make(i));
  return page + "]}";
}

// Of this program: on a machine with others a clock on the wall says little.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Decodes and keeps what a list brings; returns seconds of CPU without the making of the pages.
template <class Make>
double list(tpuwh::server::kube::store::Store& store, tpuwh::server::kube::store::Kind kind,
            unsigned count, Make&& make) {
  double took = 0;
  store.begin_relist(kind);
  for (unsigned begin = 0; begin < count; begin += page_size) {
    const std::string page = page_of(begin, std::min(begin + page_size, count), make);
    const double start = cpu_seconds();
    tpuwh::server::kube::decode::ListDecoder decoder;
    decoder.feed(page);
    std::string_view item;
    while (decoder.next(item) == tpuwh::server::kube::decode::ListDecoder::Outcome::item)
      store.upsert(kind, item);
    took += cpu_seconds() - start;
  }
  store.end_relist(kind);
  return took;
}

// A request for four chips of a shape, as a template and a claim have it.
const std::string devices =
    R"({"devices":{"requests":[{"name":"tpus","exactly":{"deviceClassName":"tpu.google.com","allocationMode":"ExactCount","count":4,"selectors":[{"cel":{"expression":"device.attributes[\"tpu.google.com\"].accelerator == \"tpu-v6e-slice\" && device.attributes[\"tpu.google.com\"].topology == \"4x4\""}}]}}]}})";

std::string claim_metadata(unsigned number, std::string_view annotations) {
  return R"({"metadata":{"name":"training-job-)" + std::to_string(number) +
         R"(-tpus","namespace":"team","uid":"0b9e3a5c-0000-4000-8000-000000000000",)" +
         std::string(annotations) + R"("managedFields":[{"manager":")" + ballast.substr(0, 700) +
         R"("}]},"spec":)";
}
std::string claim_template(unsigned number) {
  return claim_metadata(number, "") + R"({"spec":)" + devices + "}}";
}
std::string named_claim(unsigned number) {
  return claim_metadata(number, "") + devices + "}";
}
// With its allocation, as each change of its status brings it again.
std::string made_claim(unsigned number) {
  std::string results;
  for (int i = 0; i < 4; ++i)
    results += std::string(i == 0 ? "" : ",") +
               R"({"request":"tpus","driver":"tpu.google.com","pool":"node-1","device":"accel)" +
               std::to_string(i) + R"("})";
  return claim_metadata(number,
                        R"("annotations":{"resource.kubernetes.io/pod-claim-name":"tpus"},)") +
         devices + R"(,"status":{"allocation":{"devices":{"results":[)" + results + "]}}}}";
}

int claims() {
  using tpuwh::server::kube::store::Kind;
  constexpr unsigned count = 10'000;
  tpuwh::server::kube::store::Store store("tpu-webhook.dev/");
  std::printf("| 10,000 of | kept | resident | an event |\n|---|---|---|---|\n");
  const auto tell = [&](const char* what, Kind kind, auto&& make) {
    const std::size_t before = resident_bytes();
    list(store, kind, count, make);
    const std::size_t after = resident_bytes();
    const double again = list(store, kind, count, make);
    std::printf("| %s of %zu bytes | %zu | %.1f MB | %.1f us |\n", what, make(count - 1).size(),
                store.size(kind), static_cast<double>(after - before) / 1e6, again * 1e6 / count);
  };
  tell("claims made for a Pod", Kind::claim, made_claim);
  tell("ResourceClaimTemplates", Kind::claim_template, claim_template);
  tell("claims by their own name", Kind::claim, named_claim);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "claims") return claims();
  const bool members = argc > 1 && std::string_view(argv[1]) == "members";
  const auto kept = members ? slice_member : pod;
  tpuwh::server::kube::store::Store store("tpu-webhook.dev/");
  const std::size_t empty = resident_bytes();
  list(store, tpuwh::server::kube::store::Kind::pod, pods, forged_pod);
  const std::size_t kept_of_forged = store.size(tpuwh::server::kube::store::Kind::pod);
  const std::size_t before = resident_bytes();
  double first = list(store, tpuwh::server::kube::store::Kind::pod, pods, kept);
  const std::size_t with_pods = resident_bytes();
  first += list(store, tpuwh::server::kube::store::Kind::node, nodes, node);
  const std::size_t once = resident_bytes();
  const double second = list(store, tpuwh::server::kube::store::Kind::pod, pods, kept) +
                        list(store, tpuwh::server::kube::store::Kind::node, nodes, node);
  const std::size_t twice = resident_bytes();
  if (store.size(tpuwh::server::kube::store::Kind::pod) != pods ||
      store.size(tpuwh::server::kube::store::Kind::node) != nodes)
    return 1;
  constexpr double mb = 1e6;
  constexpr unsigned others = 20'000;
  const double passed_over = list(store, tpuwh::server::kube::store::Kind::pod, others, other_pod);
  if (store.size(tpuwh::server::kube::store::Kind::pod) != 0) return 1;
  std::printf("| 100,000 Pods of %zu bytes, 15,000 Nodes | |\n|---|---|\n", kept(pods - 1).size());
  std::printf("| 100,000 Pods without chips: kept, resident | %zu, %.1f MB |\n", kept_of_forged,
              static_cast<double>(before - empty) / mb);
  std::printf("| a Pod, a Node | %.0f bytes, %.0f bytes |\n",
              static_cast<double>(with_pods - before) / pods,
              static_cast<double>(once - with_pods) / nodes);
  std::printf("| resident after the first list | %.0f MB, %.0f bytes a Pod and Node |\n",
              static_cast<double>(once - before) / mb,
              static_cast<double>(once - before) / (pods + nodes));
  std::printf("| resident after a re-list | %.0f MB |\n", static_cast<double>(twice) / mb);
  std::printf("| decoded and kept | %.1f s, again %.1f s: %.0f us an object |\n", first, second,
              second * 1e6 / (pods + nodes));
  std::printf("| decoded and passed over | %.0f us a Pod of no interest |\n",
              passed_over * 1e6 / others);
}
