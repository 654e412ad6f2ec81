// Compares the request of an object with the rule of its namespace.
//
// The admission policies of `kubectl tpu policy --team-rules` report the same sentences
// (kubectl/policy/rules_cel.cpp): tests/e2e/test_rules.py compares the two.
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

// Upper bounds of what is counted, so that no product overflows.
inline constexpr std::uint64_t most_pods = 1'000'000, most_chips_of_pod = 9'999;

// How long the Pods of a template run, and what happens after their nodes went away.
struct Run {
  bool ends = false;                          // true for a job, false for a server
  std::optional<std::uint64_t> seconds = {};  // the deadline of all attempts together
  bool restarted = true;                      // a controller creates lost Pods again
  bool checkpoint = false;                    // the template names a checkpoint
};

// A template whose Pods ask for chips.
struct AskedTemplate {
  std::string title = {};                       // "worker group a: ", "" for the only one
  std::string accelerator = {}, topology = {};  // selected by the template or its claims, or ""
  std::uint64_t pods = 0;                       // Pods at a time
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
  // What is broken, and by how much. An update that increases neither breaks nothing anew.
  std::string key;
  std::uint64_t amount;
  std::string sentence;
};

// Returns everything that the object breaks of TPU-651 to TPU-660. An object without chips breaks
// nothing.
std::vector<Broken> judge(const Rules& rules, std::string_view ns, const AskedObject& object);

// The rules that an object broke before an update, in a map, because there may be as many as it has
// templates.
class BrokenBefore {
 public:
  // `before` must outlive this object.
  explicit BrokenBefore(const std::vector<Broken>& before);

  // Returns whether the object broke the same rule before, at least by as much.
  bool includes(const Broken& now) const;

 private:
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> most_;
};

// Returns the number of chips of a topology such as "4x4", or nullopt for another text.
std::optional<std::uint64_t> chips_of(std::string_view topology);

// Returns the capacity that a node selector asks for. `value` returns the value of a key, or "".
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
