// What an object asks for, held against the rule of its namespace.
//
// The admission policies of `kubectl tpu policy --team-rules` say the same in the same words
// (kubectl/policy/rules_cel.cpp): a test holds one to the other.
#pragma once

#include "webhook/findings/finding.hpp"
#include "webhook/rules/rules.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::webhook::rules {

// Beyond them nothing is counted further, so that nothing overflows.
inline constexpr std::uint64_t most_pods = 1'000'000, most_chips_of_pod = 9'999;

// How long the work of a template may go on, and whether it goes on after its Pods went away.
struct Run {
  bool ends = false;                          // a job, which is over some day; a server is not
  std::optional<std::uint64_t> seconds = {};  // that it may take at most, all attempts together
  bool restarted = true;                      // somebody creates its Pods again
  bool checkpoint = false;                    // its template names one
};

// A template whose Pods ask for chips.
struct AskedTemplate {
  std::string title = {};                       // "worker group a: ", "" for the only one
  std::string accelerator = {}, topology = {};  // of its node selector, "" for none
  std::uint64_t pods = 0;                       // at a time
  std::uint64_t chips = 0;                      // of one Pod
  Capacity capacity = Capacity::on_demand;
  Run run = {};
};

struct AskedObject {
  std::string name = {};
  std::vector<AskedTemplate> templates = {};
  bool all = true;  // false if a template is left out because it could not be counted
};

struct Broken {
  findings::Finding finding;
  // What is broken, and by how much: an update that leaves both breaks nothing anew.
  std::string key;
  std::uint64_t amount;
  std::string sentence;
};

// All that the object breaks; nothing for one that asks for no chips.
std::vector<Broken> judge(const Rules& rules, std::string_view ns, const AskedObject& object);

// What an object broke before an update. An object may break as much as it has templates, so that
// they are not compared one by one.
class BrokenBefore {
 public:
  // `before` outlives it.
  explicit BrokenBefore(const std::vector<Broken>& before);

  // The same, at least as much.
  bool includes(const Broken& now) const;

 private:
  std::map<std::pair<findings::Finding, std::string_view>, std::uint64_t> most_;
};

// The chips of a topology, "4x4"; nothing for another text.
std::optional<std::uint64_t> chips_of(std::string_view topology);

// The way that a node selector asks for its nodes. `value` gives that of a key, "" for none.
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

}  // namespace tpuwh::webhook::rules
