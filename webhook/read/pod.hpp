// A Pod as far as decisions read it. Views point into the review's text.
#pragma once

#include "base/json/reader.hpp"
#include "webhook/read/chips.hpp"
#include "webhook/read/key_values.hpp"
#include "webhook/read/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::read {

// Whether a map or a list can be added to, or has to be made first. JSON null
// counts as absent: adding replaces it.
enum class Presence { absent, present };

enum class EnvSource { literal, value_from };

// The largest number of elements of any list of a Pod. In memory an element, such as "{}" in a list
// of containers, can take forty times the size of its text. Without this limit, a review of 7 MiB,
// the largest that is read, took 400 MiB of memory. An API server stores no Pod above 1.5 MiB.
inline constexpr std::size_t max_elements = 65'536;

// Makes `in` fail because a list has more than max_elements elements. This is a separate function
// to keep the loops over lists short.
bool too_many_elements(base::json::Reader& in);

// Increases the capacity of a full list to four times its size, at least 16 and at most
// max_elements. With twice the size instead, moving the elements took longer than reading them.
template <class T>
[[gnu::noinline]] void make_room(std::vector<T>& list) {
  constexpr std::size_t least = 16, times = 4;
  list.reserve(std::min(std::max(least, times * list.size()), max_elements));
}

template <class T>
bool keep(base::json::Reader& in, std::vector<T>& list, const T& item) {
  if (list.size() == list.capacity()) [[unlikely]] {
    if (list.size() >= max_elements) return too_many_elements(in);
    make_room(list);
  }
  list.push_back(item);
  return true;
}

// The largest number of bytes of an owner reference's uid that decisions and the store accept. The
// API server accepts any uid that is not empty; the uids that it assigns have 36 characters.
inline constexpr std::size_t max_uid_bytes = 128;

// One entry of a container's env, of a variable that we know.
struct EnvEntry {
  Variable variable;
  EnvSource source;
  bool has_value;          // a "value" member exists, so it can be replaced
  std::uint32_t index;     // in the container's list
  std::string_view value;  // of a literal; "" where there is none
};

// Containers of spec.containers come first, then spec.initContainers.
struct Container {
  std::string_view name;
  bool init = false;
  bool sidecar = false;  // true for an init container with restartPolicy Always
  // True if a DRA driver provides the chips, by claims or by the resource of its class
  // (take_claimed_chips()).
  bool by_claim = false;
  std::uint32_t index = 0;  // in its own list
  Presence env = Presence::absent;
  std::uint32_t entries_begin = 0;  // [begin, end) in Pod::entries; both 0 without a list
  std::uint32_t entries_end = 0;
  std::uint32_t variables = 0;           // of these entries, a bit for each
  // The number of chips in resources.requests, under a name of chip_resources.
  std::optional<std::uint64_t> request;
  std::optional<std::uint64_t> limit;
  std::uint32_t resources_begin = 0;  // [begin, end) in Pod::resources
  std::uint32_t resources_end = 0;
  std::uint32_t claims_begin = 0;  // [begin, end) in Pod::claim_uses
  std::uint32_t claims_end = 0;

  // Chips it asks for: the request, else the limit. Extended resources have both
  // equal on an API server; a template may have one.
  std::uint64_t chips() const { return request.value_or(0) != 0 ? *request : limit.value_or(0); }
  bool request_and_limit_differ() const { return request && limit && *request != *limit; }
};

// key operator values of a node selector or of one of our own label selectors.
struct Requirement {
  std::string_view key;
  std::string_view op;
  std::uint32_t values_begin = 0;  // [begin, end) in Pod::values
  std::uint32_t values_end = 0;
};

// A term of nodeAffinity.required…nodeSelectorTerms.
struct NodeTerm {
  Presence expressions = Presence::absent;
  bool empty = true;        // neither expressions nor fields: matches no node
  std::uint32_t begin = 0;  // [begin, end) in Pod::requirements
  std::uint32_t end = 0;
  std::uint32_t pins_begin = 0;  // [begin, end) in Pod::pins
  std::uint32_t pins_end = 0;
};

// The namespaces whose Pods a term looks at: the Pod's own where it says nothing of them, all where
// its namespaceSelector is {}, else those that it names or selects.
enum class TermReach { own_namespace, every_namespace, some_namespaces };

// A term of podAffinity or podAntiAffinity.
struct PodTerm {
  std::string_view topology_key;
  TermReach reach = TermReach::own_namespace;
  std::uint32_t begin = 0;  // [begin, end) in Pod::requirements
  std::uint32_t end = 0;
  std::uint32_t weight = 0;  // preferred terms
};

// A list of terms: absent, or where its terms are in Pod::pod_terms.
struct TermList {
  Presence list = Presence::absent;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct PodAffinity {
  Presence present = Presence::absent;
  TermList required;
  TermList preferred;
};

struct NodeAffinity {
  Presence present = Presence::absent;
  Presence preferred = Presence::absent;  // the list of preferred terms, of which none is read
  Presence required = Presence::absent;
  Presence terms = Presence::absent;
  std::uint32_t begin = 0;  // [begin, end) in Pod::node_terms
  std::uint32_t end = 0;
};

// An entry of spec.tolerations. Empty is absent: every key, every effect, operator Equal.
struct Toleration {
  std::string_view key, op, value, effect;
};

// An entry of spec.resourceClaims: made from a template, or there by a name of its own.
struct Claim {
  std::string_view name, template_name, claim_name;
  std::uint32_t index = 0;  // in the Pod's list
  // By containers that run at a time, and in which it was met last: of take_claimed_chips().
  std::uint32_t uses = 0;
  std::uint32_t met = 0;
  std::uint32_t same = 0;  // the place of the entry that counts for all of one ResourceClaim
};

struct Owner {
  std::string_view kind, name, uid;
};

struct Selector {
  std::string_view key, value;
};

// A limit on a resource that a DeviceClass may define.
struct AskedResource {
  std::string_view name, amount;
};

// An amount of one of chip_resources that is not a number of chips.
struct BadChips {
  NotChips what;
  std::string_view resource;
  std::string_view list;        // "limits" or "requests"
  std::uint32_t container = 0;  // in the Pod's list
  bool init = false;            // of initContainers

  // "spec.containers[0].resources.limits.google.com/tpu", and the same in its parts, with the
  // container's number in decimal.
  std::string path() const;
  std::array<std::string_view, 6> path_of(std::string_view number) const;
};

// The fields of Pod that are not lists. Assigning PodMembers() clears these fields.
struct PodMembers {
  std::string_view name;  // absent where generateName is used
  std::string_view generate_name;
  std::string_view ns;
  Presence labels = Presence::absent;
  Presence annotations = Presence::absent;
  Owner owner;  // the controller, else the first owner

  std::string_view hostname, subdomain, hostname_override, dns_policy;
  bool host_network = false;
  std::uint32_t searches_begin = 0;  // of dnsConfig, [begin, end) in Pod::values
  std::uint32_t searches_end = 0;
  std::int32_t priority = 0;      // the API server sets it on every Pod; 0 is its default
  bool kueue_gate = false;        // a scheduling gate of Kueue's
  bool scheduling_group = false;  // spec.schedulingGroup or the like
  Presence affinity = Presence::absent;
  NodeAffinity node_affinity;
  PodAffinity pod_affinity;
  PodAffinity pod_anti_affinity;
};

struct Pod : PodMembers {
  KeyValues<Label> label_values;
  KeyValues<Annotation> annotation_values;

  std::vector<Selector> node_selector;
  std::vector<Container> containers;
  std::vector<EnvEntry> entries;
  std::vector<Toleration> tolerations;
  std::vector<Claim> claims;
  std::vector<std::string_view> claim_uses;  // names in resources.claims of containers
  std::vector<AskedResource> resources;
  std::vector<NodeTerm> node_terms;
  std::vector<PodTerm> pod_terms;
  std::vector<Requirement> requirements;
  // The indices of those elements of `requirements` that allow exactly one value of a label. Many
  // functions read only these few elements.
  std::vector<std::uint32_t> pins;
  std::vector<std::string_view> values;
  std::optional<BadChips> bad_chips;  // the first one; it counts as none

  std::string_view label(Label label) const { return label_values.text(label); }
  std::string_view annotation(Annotation annotation) const {
    return annotation_values.text(annotation);
  }
  // Returns whether take_claimed_chips() may find chips for this Pod.
  bool may_claim() const { return !claims.empty() || !resources.empty(); }
  bool has(Annotation annotation) const { return annotation_values.has(annotation); }
  // "" where there is none. Inline: of most keys that are asked for their length says it.
  std::string_view selector(std::string_view key) const {
    for (const Selector& selector : node_selector)
      if (selector.key == key) return selector.value;
    return {};
  }

  // The entry that counts, which is the last of its name; null for none. Every variable is asked
  // for, and most are on no Pod.
  const EnvEntry* entry(const Container& container, Variable variable) const {
    const bool there = (container.variables >> static_cast<unsigned>(variable) & 1u) != 0;
    return there ? last_entry(container, variable) : nullptr;
  }

  // Forgets everything and keeps the memory.
  void clear();

 private:
  const EnvEntry* last_entry(const Container& container, Variable variable) const;
};
static_assert(variable_count <= 32);  // bits of Container::variables

// Reads the next value of `reader` as a Pod. `prefix` is Config::prefix. Fails if a field of Pod
// has a value of a wrong type, or if a key is repeated. If an amount of google.com/tpu is not a
// whole number of chips, all other fields are read first, and then the function fails with
// chips_invalid.
bool read_pod(base::json::Reader& reader, std::string_view prefix, Pod& pod);
// The same into one that was cleared.
bool read_into_empty_pod(base::json::Reader& reader, std::string_view prefix, Pod& pod);

// The same of the template that a workload object has its Pods made from, which may come
// without metadata, and whose bad_chips are no failure.
bool read_pod_template(base::json::Reader& reader, std::string_view prefix, Pod& pod);

}  // namespace tpuwh::webhook::read
