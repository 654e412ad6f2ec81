// The rules of a cluster: which namespaces may ask for TPUs, for which kinds of TPUs, and for how
// many. judge() (judge.hpp) compares an object with these rules. `kubectl tpu policy` prints the
// rules as admission policies, which the API server evaluates.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::team_rules {

// The kind of capacity that the node selector of a Pod asks for (docs/facts.md#capacity-labels).
enum class Capacity : std::uint8_t { on_demand, reservation, spot, flex_start };
inline constexpr std::array<std::pair<std::string_view, Capacity>, 4> capacities{{
    {"on-demand", Capacity::on_demand},
    {"reservation", Capacity::reservation},
    {"spot", Capacity::spot},
    {"flex-start", Capacity::flex_start},
}};
std::string_view name_of(Capacity capacity);

// Returns whether `text` matches `pattern`, in which "*" matches any text, including the empty
// text.
bool matches(std::string_view pattern, std::string_view text);

// A label that a Pod template must have, and its allowed values.
struct RequiredLabel {
  std::string key = {};
  std::vector<std::string> values = {};  // patterns

  bool operator==(const RequiredLabel&) const = default;
};

// The part of a rule that does not depend on the slice: labels, queue, images and access to the
// node.
struct Hygiene {
  std::vector<RequiredLabel> labels = {};  // required labels of the Pod template
  bool queue = false;                      // requires label kueue.x-k8s.io/queue-name
  std::vector<std::string> images = {};    // patterns; an empty list allows any image
  bool digests = false;                    // requires a digest in each image: @sha256:…
  bool tags = false;                       // requires a digest or a tag other than latest
  bool privileged = true, host_paths = true, host_network = true;
  bool default_account = true;
  std::vector<std::string> secret_variables = {};  // name patterns of variables that need valueFrom

  bool operator==(const Hygiene&) const = default;
};

struct Rule {
  std::string name = {};
  std::vector<std::string> namespaces = {};  // patterns

  // The allowed values, as patterns. An empty list allows any value.
  std::vector<std::string> accelerators = {}, topologies = {};
  std::vector<Capacity> capacities = {};
  // Upper limits: `slice_chips` for one slice, `slices` and `chips` for all that one object has at
  // a time. nullopt means that any number is allowed.
  std::optional<std::uint64_t> slice_chips = {}, slices = {}, chips = {};

  // The admission policies only warn about the next three fields: no object is refused because of
  // them.
  std::string object_names = {};  // a pattern; "" allows any name
  bool resumable = false;
  std::optional<std::uint64_t> run_seconds = {};

  Hygiene hygiene = {};

  bool operator==(const Rule&) const = default;
};

struct Rules {
  std::vector<Rule> list = {};
  bool others_may_ask = true;  // true: namespaces without a rule may ask for TPUs
  std::string contact = {};    // the end of each sentence: "ask CONTACT"

  bool operator==(const Rules&) const = default;
};

// Returns the first rule that names the namespace, or null if no rule names it. If `ns` is longer
// than any namespace's name can be, only the beginning of `ns` is compared.
const Rule* rule_of(const Rules& rules, std::string_view ns);

}  // namespace tpuwh::server::team_rules
