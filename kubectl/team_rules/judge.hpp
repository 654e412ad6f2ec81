// Compares the TPUs that an object asks for with the team's rule for its namespace.
//
// The admission policies of `kubectl tpu policy --team-rules` report the same sentences as judge()
// (kubectl/policy/rules_cel.cpp). tests/e2e/test_rules.py compares the sentences.
#pragma once

#include "kubectl/team_rules/rules.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::team_rules {

// Limits in calculations: a larger number of Pods, or of chips of one Pod, is replaced with its
// limit, so that no product overflows.
inline constexpr std::uint64_t most_pods = 1'000'000, most_chips_of_pod = 9'999;

// How long the Pods of a template run, and whether the Pods are recreated and resume their work if
// their nodes are deleted.
struct Run {
  bool ends = false;                          // whether the Pods end when their work is done
  std::optional<std::uint64_t> seconds = {};  // the deadline for all attempts together, if any
  bool restarted = true;                      // whether a controller recreates lost Pods
  bool checkpoint = false;                    // whether the template has a checkpoint annotation
};

// A template whose Pods ask for chips.
struct AskedTemplate {
  std::string title = {};                       // "worker group a: ", "" for the only one
  std::string accelerator = {}, topology = {};  // selected by the template or its claims, or ""
  std::uint64_t pods = 0;                       // Pods that run at a time
  std::uint64_t chips = 0;                      // chips of one Pod
  Capacity capacity = Capacity::on_demand;
  Run run = {};
};

struct AskedObject {
  std::string name = {};
  std::vector<AskedTemplate> templates = {};
};

struct Broken {
  std::string_view id;  // "TPU-651"
  // If an object has several faults with the same id, they differ in `key`. `amount` is the size of
  // the fault, such as a number of chips: after an update of the object, an old fault is reported
  // only if its amount has grown.
  std::string key;
  std::uint64_t amount;
  std::string sentence;
};

// Returns the faults TPU-651 to TPU-660 of `object`. An object without chips has none of them.
std::vector<Broken> judge(const Rules& rules, std::string_view ns, const AskedObject& object);

// The faults that an object had before an update. They are in a map for fast lookup, because an
// object with many Pod templates can have many faults.
class BrokenBefore {
 public:
  // `before` must outlive this object.
  explicit BrokenBefore(const std::vector<Broken>& before);

  // Returns true if the object already had the fault `now` before its update: a fault with the same
  // id and key, and with the same or a larger amount.
  bool includes(const Broken& now) const;

 private:
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> most_;
};

// Returns the number of chips of a topology such as "4x4", or nullopt if the text is not a
// topology.
std::optional<std::uint64_t> chips_of(std::string_view topology);

// Returns the capacity that a node selector asks for. `value` is a function that returns the value
// of a key in the node selector, or "" if the key is absent.
template <class Value>
Capacity capacity_of(Value&& value) {
  const std::string_view provisioning = value("cloud.google.com/gke-provisioning");
  if (provisioning == "spot" || value("cloud.google.com/gke-spot") == "true") return Capacity::spot;
  if (provisioning == "flex-start" || value("cloud.google.com/gke-flex-start") == "true" ||
      value("cloud.google.com/gke-queued") == "true")
    return Capacity::flex_start;
  return value("cloud.google.com/reservation-name").empty() ? Capacity::on_demand
                                                            : Capacity::reservation;
}

}  // namespace tpuwh::server::team_rules
