// A group of the ledger, and tokens of Pods that live.
#pragma once

#include "kubectl/inspect/ledger/release.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::ledger {

inline std::string token(std::uint32_t slice, std::uint32_t host) {
  return std::to_string(slice) + "-" + std::to_string(host) + "-0123456789abcdef";
}

// Group "workers" of RayCluster ml/train with an entry for hosts 0 to 3 of slice 0.
inline kube::cluster::LedgerObject four_hosts() {
  kube::cluster::LedgerObject object;
  object.group = {"ml", "train", "u1", "workers"};
  object.name = kube::cluster::ledger_object_name(object.group);
  object.version = "7";
  object.record.hosts_per_slice = 4;
  for (std::uint32_t host = 0; host < 4; ++host)
    object.record.entries.push_back({{0, host}, token(0, host)});
  return object;
}

inline LivingTokens living(std::vector<std::uint32_t> hosts, const std::string& ns = "ml") {
  LivingTokens out;
  for (const std::uint32_t host : hosts) out.emplace(ns, token(0, host));
  return out;
}

}  // namespace tpuwh::server::ledger
