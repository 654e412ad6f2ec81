// A Pod and what its workload API says about it; the views die with it.
#pragma once

#include "tests/support/read_pod.hpp"
#include "webhook/workloads/table.hpp"

#include <string>
#include <string_view>

namespace tpuwh::test {

struct Identified {
  explicit Identified(const PodBuilder& builder, const webhook::config::Config& config = {},
                      const webhook::read::ClusterView& cluster = webhook::read::NoCluster())
      : read(builder), workload(webhook::workloads::workload_of(read.pod)) {
    member.workload = workload.kind;
    workload.identify({read.pod, "default", config, cluster, service}, member);
  }

  std::string host_name(std::uint32_t slice, std::uint32_t host) const {
    base::Buffer out;
    member.names.append(out, slice, host);
    return std::string(out.view());
  }

  ReadPod read;
  const webhook::workloads::Workload& workload;
  std::string service;
  webhook::workloads::Member member;
};

}  // namespace tpuwh::test
