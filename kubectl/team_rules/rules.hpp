// The rules of a cluster: who may ask for TPUs and for how many, by namespace. judge() (judge.hpp)
// compares an object with these rules, and `kubectl tpu policy` prints admission policies of them,
// which the API server evaluates.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::team_rules {

// The capacity that the node selector of a Pod asks for (docs/facts.md#capacity-labels).
enum class Capacity : std::uint8_t { on_demand, reservation, spot, flex_start };
inline constexpr std::array<std::pair<std::string_view, Capacity>, 4> capacities{{
    {"on-demand", Capacity::on_demand},
    {"reservation", Capacity::reservation},
    {"spot", Capacity::spot},
    {"flex-start", Capacity::flex_start},
}};
std::string_view name_of(Capacity capacity);

// Returns whether `text` is of the form `pattern`, in which "*" is any text, also an empty one.
bool matches(std::string_view pattern, std::string_view text);

// The values that a label of a Pod template may have.
struct RequiredLabel {
  std::string key = {};
  std::vector<std::string> values = {};  // patterns

  bool operator==(const RequiredLabel&) const = default;
};

// The part of a rule that does not depend on the slice.
struct Hygiene {
  std::vector<RequiredLabel> labels = {};  // required labels of the Pod template
  bool queue = false;                      // the object needs label kueue.x-k8s.io/queue-name
  std::vector<std::string> images = {};    // patterns; an empty list allows any image
  bool digests = false;                    // each image needs a digest, @sha256:…
  bool tags = false;                       // each image needs a digest or a tag other than latest
  bool privileged = true, host_paths = true, host_network = true;
  bool default_account = true;
  std::vector<std::string> secret_variables = {};  // patterns of variables that need valueFrom

  bool operator==(const Hygiene&) const = default;
};

struct Rule {
  std::string name = {};
  std::vector<std::string> namespaces = {};  // patterns

  // The allowed values, as patterns. An empty list allows any value.
  std::vector<std::string> accelerators = {}, topologies = {};
  std::vector<Capacity> capacities = {};
  // The largest numbers at a time: chips of one slice, and slices and chips of one object. A limit
  // without a value allows any number.
  std::optional<std::uint64_t> slice_chips = {}, slices = {}, chips = {};

  // These three are warned of, and never refused.
  std::string object_names = {};  // a pattern; "" allows any name
  bool resumable = false;
  std::optional<std::uint64_t> run_seconds = {};

  Hygiene hygiene = {};

  bool operator==(const Rule&) const = default;
};

struct Rules {
  std::vector<Rule> list = {};
  bool others_may_ask = true;  // whether namespaces that no rule names may ask for TPUs
  std::string contact = {};    // the end of each sentence: "ask CONTACT"

  bool operator==(const Rules&) const = default;
};

// Returns the first rule that names the namespace, or null if no rule names it. If `ns` is longer
// than the name of any namespace, only its beginning counts.
const Rule* rule_of(const Rules& rules, std::string_view ns);

}  // namespace tpuwh::server::team_rules
