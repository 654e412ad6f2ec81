// What a NetworkPolicy says of Pods that are not made yet, as sure as their labels are.
//
//   source  docs/facts.md#network-policies; k8s.io/api 0.37.2 networking/v1 types.go
#pragma once

#include "server/text/json_text.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace tpuwh::server::network {

enum class Sure { no, maybe, yes };
enum class Direction { ingress, egress };

// A Pod as far as policies look at it.
struct Endpoint {
  Json labels;  // null as a value: only a running cluster gives it out
  Json ports;   // of its containers, in one list
  // Nothing adds a label that is not here, but for keys of Kubernetes' and its operators' own.
  bool labels_known = true;

  bool operator==(const Endpoint&) const = default;
};

class Policy {
 public:
  // `ns` of one that names none.
  Policy(const Json& object, const std::string& ns);

  const std::string& ns() const { return ns_; }
  const std::string& name() const { return name_; }

  // Adds the keys of labels that it looks at.
  void add_keys(std::set<std::string>& keys) const;
  bool names_ports() const;

  // Whether the Pod takes (or sends) only what a policy admits, because of this one. All Pods here
  // are of its namespace.
  Sure isolates(Direction direction, const Endpoint& pod) const;
  // Whether it admits what goes from one Pod to a TCP port of another, where it isolates the
  // receiver (or, of egress, the sender).
  //
  //   maybe  also for what only a cluster knows: addresses, labels of namespaces
  Sure admits(Direction direction, const Endpoint& from, const Endpoint& to,
              std::uint32_t port) const;

 private:
  std::string ns_, name_;
  Json spec_;
};

}  // namespace tpuwh::server::network
