// Pods of one object that reach each other: how a NetworkPolicy finds them, on which ports, and
// which of the policies at hand block these.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/predict/network/member_ports.hpp"
#include "kubectl/predict/network/policy.hpp"
#include "server/text/json.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::network {

// Of the policies of a namespace; of more nothing is said. Likewise of Pods that they tell apart
// in a slice.
inline constexpr std::size_t most_policies = 64, most_classes = 64;

using Labels = std::map<std::string, std::string>;

struct Network {
  std::string ns, name;  // of the policy that is made of it
  Labels selected;       // what all its Pods have, by their controller
  Labels from;           // what all have that it is reached from
  MemberPorts open;
  bool all_ports = false;  // of Ray, whose processes choose theirs
};

// A rule without ports would admit all.
inline bool has_ports(const Network& network) {
  return network.all_ports || !network.open.ports.empty();
}

// What members of a slice, or of all slices of a job, cannot send each other.
struct Blocked {
  Direction direction = Direction::ingress;
  std::set<std::string> policies = {};              // that isolate them
  std::map<std::uint32_t, std::string> ports = {};  // each with what it is of
};

class Networks {
 public:
  // `policies` outlive it.
  //
  //   made_up       names that only a running cluster gives out (expand::made_up_names)
  //   labels_known  its controller adds no others than the Pods have
  Networks(std::span<const Policy> policies, std::vector<std::string> made_up, bool labels_known);
  ~Networks();
  Networks(Networks&&) noexcept;
  Networks& operator=(Networks&&) noexcept;

  // A member of a slice of several hosts, or of several slices; others are passed over.
  //
  //   object  that makes it
  //   pod     as it would be stored
  void add(const Json& object, const Json& pod, const slices::SeenPod& seen);

  // In the order in which their first Pods came.
  std::vector<Network> list() const;
  // Why others have none, a sentence each.
  const std::set<std::string>& without() const;
  // Ports on which no member can reach any other, by one direction.
  std::vector<Blocked> blocked() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tpuwh::server::network
