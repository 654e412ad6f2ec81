// What a cluster's owner allows those who ask for TPUs: rules, by namespace. A value; what an
// object asks for is held against it by judge() (judge.hpp), and `kubectl tpu policy` makes
// admission policies of the same value, which hold while no server answers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::webhook::rules {

// What nodes a Pod selects by the way in which they are paid for (docs/facts.md#capacity-labels).
enum class Capacity : std::uint8_t { on_demand, reservation, spot, flex_start };
inline constexpr std::array<std::pair<std::string_view, Capacity>, 4> capacities{{
    {"on-demand", Capacity::on_demand},
    {"reservation", Capacity::reservation},
    {"spot", Capacity::spot},
    {"flex-start", Capacity::flex_start},
}};
std::string_view name_of(Capacity capacity);

// "*" in a pattern is any text, also none; everything else is itself.
bool matches(std::string_view pattern, std::string_view text);

// Values that one key of a template's labels may have.
struct RequiredLabel {
  std::string key = {};
  std::vector<std::string> values = {};  // patterns

  bool operator==(const RequiredLabel&) const = default;
};

// What an admission policy alone holds: nothing of it needs to know a slice.
struct Hygiene {
  std::vector<RequiredLabel> labels = {};  // of the Pod template
  bool queue = false;                      // label kueue.x-k8s.io/queue-name, of the object
  std::vector<std::string> images = {};    // patterns; empty: any
  bool digests = false;                    // each image by @sha256:…
  bool tags = false;                       // no image without a tag or digest, and none by :latest
  bool privileged = true, host_paths = true, host_network = true;
  bool default_account = true;
  std::vector<std::string> secret_variables = {};  // patterns of names whose values are no text

  bool operator==(const Hygiene&) const = default;
};

struct Rule {
  std::string name = {};
  std::vector<std::string> namespaces = {};  // patterns

  // Lists of patterns, and of kinds; empty: any.
  std::vector<std::string> accelerators = {}, topologies = {};
  std::vector<Capacity> capacities = {};
  // At most, at a time; nothing: any number. Chips of one slice, and slices and chips of one
  // object.
  std::optional<std::uint64_t> slice_chips = {}, slices = {}, chips = {};

  // Warned of alone.
  std::string object_names = {};  // a pattern; "": any
  bool resumable = false;
  std::optional<std::uint64_t> run_seconds = {};

  Hygiene hygiene = {};

  bool operator==(const Rule&) const = default;
};

struct Rules {
  std::vector<Rule> list = {};
  bool others_may_ask = true;  // namespaces that no rule names
  std::string contact = {};    // whom to ask: a sentence ends with it

  bool operator==(const Rules&) const = default;
};

// The first rule that names the namespace; null for none. Of what is longer than any namespace's
// name the beginning is looked at.
const Rule* rule_of(const Rules& rules, std::string_view ns);

}  // namespace tpuwh::webhook::rules
