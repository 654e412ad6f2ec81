// A cluster told object by object, and workloads that want slices of v6e 4x4: four hosts of four
// chips.
#pragma once

#include "kubectl/predict/outlook/outlook.hpp"
#include "tests/support/pod_builder.hpp"
#include "tests/support/yaml.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

namespace tpuwh::server::outlook {

using Json = nlohmann::ordered_json;

class Told final : public source::ObjectSource {
 public:
  Result<void> for_each(const Each& each) override {
    for (const bool pods : {false, true})
      for (const Json& object : objects)
        if ((object["kind"] == "Pod") == pods) each(object["kind"].get<std::string>(), object);
    return {};
  }
  bool listed(std::string_view kind) const override { return kinds.contains(std::string(kind)); }
  bool served(std::string_view kind) const override { return kind != "LocalQueue" || has_kueue; }
  std::vector<std::string> not_known() const override { return unread; }

  std::vector<Json> objects;
  std::set<std::string> kinds;  // listed whole
  std::vector<std::string> unread;
  bool has_kueue = true;
};

inline Json a_node(const std::string& pool, int number, const std::string& topology = "4x4",
                   int chips = 4) {
  return test::yaml(fmt::format(R"(
kind: Node
metadata:
  name: {0}-{1}
  labels:
    cloud.google.com/gke-nodepool: {0}
    cloud.google.com/gke-accelerator-count: "{3}"
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: {2}
spec: {{}}
status: {{allocatable: {{google.com/tpu: "{3}"}}}}
)",
                                pool, number, topology, chips));
}

// Host `index` of Job `name`, on `node`.
inline Json a_holder(const std::string& name, std::uint32_t index, const std::string& node) {
  Json pod = test::a_pod()
                 .job(name, index)
                 .topology("4x4")
                 .tpu(4)
                 .env("TPU_WORKER_ID", std::to_string(index))
                 .pod();
  pod["kind"] = "Pod";
  pod["metadata"]["namespace"] = "ml";
  pod["metadata"]["name"] = fmt::format("{}-{}", name, index);
  pod["spec"]["nodeName"] = node;
  pod["status"] = {{"phase", "Running"}};
  return pod;
}

inline test::PodBuilder a_member() {
  return test::a_pod().job("train", 0).topology("4x4").tpu(4);
}

inline WantedSlice a_slice(std::string title = {}, const test::PodBuilder& pod = a_member()) {
  return {.title = std::move(title),
          .accelerator = "tpu-v6e-slice",
          .topology = "4x4",
          .hosts = 4,
          .chips_per_host = 4,
          .slice_key = {},
          .member = Json(pod.pod())};
}

// Of 2x2.
inline WantedSlice a_single_host(std::string title = {},
                                 const test::PodBuilder& pod = a_member().topology("2x2")) {
  WantedSlice out = a_slice(std::move(title), pod);
  out.topology = "2x2";
  out.hosts = 1;
  return out;
}

class OutlookTest : public testing::Test {
 protected:
  OutlookTest() {
    for (const char* kind :
         {"Node", "Service", "LocalQueue", "ClusterQueue", "ResourceFlavor", "ComputeClass"})
      cluster.kinds.insert(kind);
  }

  void pool(const std::string& name, int nodes = 4) {
    for (int number = 0; number < nodes; ++number) cluster.objects.push_back(a_node(name, number));
  }
  Json& node(const std::string& name) {
    for (Json& object : cluster.objects)
      if (object["kind"] == "Node" && object["metadata"]["name"] == name) return object;
    throw std::out_of_range(name);
  }
  void hold(const std::string& job, const std::string& pool) {
    for (std::uint32_t host = 0; host < 4; ++host)
      cluster.objects.push_back(a_holder(job, host, fmt::format("{}-{}", pool, host)));
    cluster.objects.push_back(
        test::yaml("{kind: Service, metadata: {namespace: ml, name: svc}, spec: {clusterIP: None, "
                   "publishNotReadyAddresses: true}}"));
  }

  static WantedWorkload job(std::uint32_t slices = 1, const std::string& name = "train") {
    WantedWorkload out{.api_version = "batch/v1",
                       .kind = "Job",
                       .ns = "ml",
                       .name = name,
                       .queue = {},
                       .slices = {},
                       .services = {}};
    for (std::uint32_t i = 0; i < slices; ++i)
      out.slices.push_back(a_slice(slices == 1 ? "" : fmt::format("slice {} of {}", i, slices)));
    return out;
  }

  // Returns a Job with one slice, all of whose Pods are like `pod`.
  static WantedWorkload job_of(const test::PodBuilder& pod) {
    WantedWorkload out = job();
    out.slices.front() = a_slice({}, pod);
    return out;
  }

  void set_of_pods(const char* pointer, const Json& value) {
    for (Json& object : cluster.objects)
      if (object["kind"] == "Pod") object[Json::json_pointer(pointer)] = value;
  }

  ClusterState state() {
    auto read = read_cluster_state(cluster, webhook::config::Config());
    EXPECT_TRUE(read) << read.error().text();
    return std::move(*read);
  }
  std::vector<WorkloadOutlook> of(const std::vector<WantedWorkload>& workloads) {
    return look_out(state(), workloads);
  }
  WorkloadOutlook of(const WantedWorkload& workload) { return of(std::vector{workload}).front(); }

  // "cause: what", one to a line.
  static std::string waits(const WorkloadOutlook& outlook) {
    std::string out;
    for (const Wait& wait : outlook.waits)
      out += fmt::format("{}{}: {}", out.empty() ? "" : "\n", name(wait.cause), wait.what);
    return out;
  }
  static std::string help(const WorkloadOutlook& outlook) {
    std::string out;
    for (const Wait& wait : outlook.waits)
      for (const auto& each : wait.help) out += each.text() + "\n";
    return out;
  }

  Told cluster;
};

}  // namespace tpuwh::server::outlook
