// A cluster in which all is well: JobSet ml/train of two v6e slices of 4x4, four hosts each,
// on node pools pool-0 and pool-1. Tests spoil it.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"

#include <fmt/format.h>

namespace tpuwh::server::slices {

using webhook::read::Variable;

inline EnvValue literal(std::string text) {
  return {EnvValue::Kind::literal, std::move(text)};
}
inline const EnvValue unknown_value = {EnvValue::Kind::unknown};
inline const EnvValue absent_value = {};

inline constexpr std::uint32_t hosts_of_slice = 4;

inline std::string hostnames_of_slice(std::uint32_t slice) {
  std::string out;
  for (std::uint32_t host = 0; host < hosts_of_slice; ++host)
    out += fmt::format("{}train-w-{}-{}.train", host == 0 ? "" : ",", slice, host);
  return out;
}

inline SeenPod a_member(std::uint32_t slice, std::uint32_t host) {
  SeenPod pod;
  pod.ns = "ml";
  pod.hostname = fmt::format("train-w-{}-{}", slice, host);
  pod.name = pod.hostname + "-x";
  pod.subdomain = "train";
  pod.node = fmt::format("node-{}-{}", slice, host);
  pod.life = Life::running;
  pod.workload = webhook::config::WorkloadKind::jobset;
  pod.kind = "JobSet";
  pod.group = "train";
  pod.part = "w";
  pod.slice_key = fmt::format("train-{}", slice);
  pod.job_key = "train";
  pod.accelerator = "tpu-v6e-slice";
  pod.topology = "4x4";
  pod.hosts = hosts_of_slice;
  pod.chips = 4;
  pod.host = host;
  pod.slice = slice;
  pod.slice_count = 2;
  TpuProcess process{.container = "jax"};
  process[Variable::tpu_worker_id] = literal(std::to_string(host));
  process[Variable::tpu_worker_hostnames] = literal(hostnames_of_slice(slice));
  process[Variable::megascale_num_slices] = literal("2");
  process[Variable::megascale_slice_id] = literal(std::to_string(slice));
  process[Variable::megascale_coordinator_address] = literal("train-w-0-0.train");
  pod.processes.push_back(process);
  return pod;
}

inline webhook::pools::Labels labels_of_pool(std::string_view pool) {
  webhook::pools::Labels labels;
  labels.add(webhook::read::key::node_pool, pool);
  return labels;
}

inline Cluster a_cluster() {
  Cluster cluster;
  for (std::uint32_t slice = 0; slice < 2; ++slice) {
    for (std::uint32_t host = 0; host < hosts_of_slice; ++host) {
      cluster.pods.push_back(a_member(slice, host));
      const std::string& node = cluster.pods.back().node;
      cluster.nodes[node] = {
          .name = node, .labels = labels_of_pool(fmt::format("pool-{}", slice)), .chips = 4};
    }
  }
  cluster.services[{"ml", "train"}] = {.headless = true};
  return cluster;
}

// The variable of the first container of Pod `pod`.
inline EnvValue& env(Cluster& cluster, std::size_t pod, Variable variable) {
  return cluster.pods.at(pod).processes.at(0)[variable];
}

// Another Pod for host 2 of slice 0.
inline void add_twin(Cluster& cluster, Life life, bool terminating) {
  SeenPod pod = a_member(0, 2);
  pod.name += "-2";
  pod.life = life;
  pod.terminating = terminating;
  cluster.pods.push_back(pod);
}

inline const Time time_of_test(std::chrono::hours(24 * 365 * 56));

// Lets Pod 2 have failed `age` ago. Its owner is a Job, which creates another Pod.
inline void fail(Cluster& cluster, std::chrono::seconds age) {
  cluster.now = time_of_test;
  cluster.pods[2].life = Life::failed;
  cluster.pods[2].failed = time_of_test - age;
  cluster.pods[2].owners = {{"Job", "ml", "train-w-0"}};
}

// Makes slice 0 the successor of another slice, all of whose Pods still exist and are terminating.
inline void add_last_life(Cluster& cluster) {
  for (std::uint32_t host = 0; host < 4; ++host) {
    SeenPod& old = cluster.pods.emplace_back(a_member(0, host));
    old.name += "-old";
    old.slice_key = "train-0-old";
    old.terminating = true;
    old.processes.at(0).env = {};
    const std::string node = fmt::format("old-{}", host);
    old.node = node;
    cluster.nodes[node] = {.name = node, .labels = labels_of_pool("old"), .chips = 4};
  }
}

}  // namespace tpuwh::server::slices
