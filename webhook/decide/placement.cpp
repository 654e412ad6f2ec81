#include "webhook/decide/placement.hpp"

#include "webhook/read/affinity.hpp"
#include "webhook/text/names.hpp"

#include <algorithm>
#include <array>

namespace tpuwh::webhook::decide {

namespace {

constexpr std::string_view node_affinity_path = "/spec/affinity/nodeAffinity";
constexpr std::string_view pod_affinity_path = "/spec/affinity/podAffinity";
constexpr std::string_view pod_anti_affinity_path = "/spec/affinity/podAntiAffinity";
constexpr std::string_view required_member = "/requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view preferred_member = "/preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view required_open = "{\"requiredDuringSchedulingIgnoredDuringExecution\":";
constexpr std::string_view append_mark = "/-";

// ---- what to do

// Somebody else decides about the domain: terms of ours could make what they
// admitted unschedulable.
bool placed_by_others(const Facts& facts) {
  const read::Pod& pod = *facts.pod;
  return facts.shape->dynamic || pod.scheduling_group ||
         pod.has(read::Annotation::kueue_tas_required) ||
         pod.has(read::Annotation::kueue_tas_preferred) ||
         pod.has(read::Annotation::kueue_tas_unconstrained) ||
         pod.has(read::Annotation::kueue_tas_slice_required);
}

// Kueue's Pod, LeaderWorkerSet and StatefulSet integrations compare the affinity of
// the Pods of a role and keep gated Pods as they are.
bool compared_by_kueue(const read::Pod& pod) {
  return pod.kueue_gate || !pod.label(read::Label::kueue_queue_name).empty() ||
         pod.has(read::Annotation::kueue_suspending_parent);
}

bool selects_tpu_nodes(const read::Pod& pod) {
  return std::ranges::any_of(pod.node_selector,
                             [](const read::Selector& selector) {
                               return selector.key.starts_with(read::key::tpu_prefix);
                             }) ||
         read::node_affinity_mentions(pod, read::key::tpu_prefix);
}

// The annotation of ours, else the owner's, else the node pool. "" for no terms:
// on nodes without the key a required term would never match.
std::string_view topology_key(const read::Pod& pod, const workloads::Member& member, Notes& notes) {
  if (const auto own = pod.annotation(read::Annotation::exclusive_topology); !own.empty()) {
    if (own == "none") return {};
    if (text::is_qualified_name(own)) return own;
    notes.warn("annotation exclusive-topology is " + text::printable(own) +
               ", which is no label key; no placement terms were added");
    return {};
  }
  if (member.owner_keeps_group) return {};
  if (text::is_qualified_name(member.exclusive_topology)) return member.exclusive_topology;
  return selects_tpu_nodes(pod) ? read::key::node_pool : std::string_view();
}

bool is_pinned(const read::Pod& pod, std::string_view domain) {
  return !pod.selector(domain).empty() || !read::pinned_value(pod, domain).empty() ||
         !pod.selector(read::key::jobset_namespaced_job).empty();
}

// JobSet's leader/follower (reference/workloads.md 2.4): a follower selects the domain of its
// leader. JobSet deletes and makes again those that do not.
bool follows_leader(const Facts& facts, Placement& placement, Notes& notes) {
  const auto& domain = facts.member->leader_domain;
  if (!domain || placement.topology_key != facts.member->exclusive_topology) return false;
  const std::string_view own = facts.pod->selector(placement.topology_key);
  if (own.empty()) placement.follow = *domain;
  if (!own.empty() && own != *domain)
    notes.warn("node selector " + text::printable(placement.topology_key) + " is " +
               text::printable(own) + " and stays, but the leader of this Job runs on " +
               text::printable(*domain) + ": JobSet will delete this Pod");
  return true;
}

// Chips per VM, other than the Pod's, with which this topology exists too.
struct OtherCounts {
  std::array<std::uint32_t, 4> chips{};
  std::size_t size = 0;
};

OtherCounts other_counts(const topology::Slice& slice) {
  OtherCounts others;
  // With chips that no VM of the generation has, nothing is known to be excluded.
  if (slice.generation == nullptr || !slice.in_catalog) return others;
  std::array<std::uint32_t, 4> all{};
  const std::size_t known = topology::chips_per_vm_of(*slice.generation, slice.dims, all);
  for (std::size_t i = 0; i < known; ++i)
    if (all[i] != slice.chips_per_host) others.chips[others.size++] = all[i];
  return others;
}

// ---- terms, as JSON and as they are recognised

enum class Rule { own, others_of_priority, others };

void append_key(text::Buffer& out, const config::Config& config, std::string_view name) {
  out.add(std::string_view("{\"key\":\""), config.prefix, name);
}

void append_term(text::Buffer& out, const config::Config& config, const Placement& placement,
                 Rule rule) {
  const std::string_view key = text::view(placement.key);
  out.append(std::string_view("{\"labelSelector\":{\"matchExpressions\":["));
  if (rule != Rule::own) {
    append_key(out, config, "slice-key");
    out.append(std::string_view("\",\"operator\":\"Exists\"},"));
  }
  append_key(out, config, "slice-key");
  out.add(rule == Rule::own ? std::string_view("\",\"operator\":\"In\",\"values\":[\"")
                            : std::string_view("\",\"operator\":\"NotIn\",\"values\":[\""),
          key, std::string_view("\"]}"));
  if (rule == Rule::others_of_priority) {
    out.append(',');
    append_key(out, config, "priority");
    out.add(std::string_view("\",\"operator\":\"In\",\"values\":[\""), placement.priority.view(),
            std::string_view("\"]}"));
  }
  out.add(std::string_view("]},\"topologyKey\":\""), placement.topology_key,
          std::string_view("\",\"namespaceSelector\":{}}"));
}

bool is_our_key(std::string_view key, const config::Config& config, std::string_view name) {
  return key.size() == config.prefix.size() + name.size() && key.starts_with(config.prefix) &&
         key.ends_with(name);
}

bool says(const read::Pod& pod, const read::Requirement& requirement, const config::Config& config,
          std::string_view name, std::string_view op, std::string_view value) {
  const std::uint32_t values = requirement.values_end - requirement.values_begin;
  return is_our_key(requirement.key, config, name) && requirement.op == op &&
         (value.empty() ? values == 0
                        : values == 1 && pod.values[requirement.values_begin] == value);
}

bool is_term(const read::Pod& pod, const read::PodTerm& term, const config::Config& config,
             const Placement& placement, Rule rule) {
  const std::string_view key = text::view(placement.key);
  if (term.topology_key != placement.topology_key || !term.every_namespace) return false;
  const read::Requirement* at = pod.requirements.data() + term.begin;
  const std::uint32_t count = term.end - term.begin;
  switch (rule) {
    case Rule::own:
      return count == 1 && says(pod, at[0], config, "slice-key", "In", key);
    case Rule::others:
      return count == 2 && says(pod, at[0], config, "slice-key", "Exists", {}) &&
             says(pod, at[1], config, "slice-key", "NotIn", key);
    case Rule::others_of_priority:
      return count == 3 && says(pod, at[0], config, "slice-key", "Exists", {}) &&
             says(pod, at[1], config, "slice-key", "NotIn", key) &&
             says(pod, at[2], config, "priority", "In", placement.priority.view());
  }
  return false;
}

// A term that speaks of our slice key was written by us, whatever it says now.
bool is_ours(const read::Pod& pod, const read::PodTerm& term, const config::Config& config) {
  for (std::uint32_t r = term.begin; r < term.end; ++r)
    if (is_our_key(pod.requirements[r].key, config, "slice-key")) return true;
  return false;
}

// ---- writing

struct Writer {
  const Facts& facts;
  const config::Config& config;
  const Placement& placement;
  Affinities& affinities;
  write::Patch& patch;
  text::Buffer* to = &patch.json();

  const read::Pod& pod() const { return *facts.pod; }
  text::Buffer& out() { return *to; }

  void labels();
  void follow();
  void count(const OtherCounts& others);
  void whole_affinity(const OtherCounts& others);
  void append_affinity(const OtherCounts& others);
  void append_count(const OtherCounts& others);
  void append_node_affinity(const OtherCounts& others);
  void append_weighted();

  struct ListPlace {
    const read::TermList& list;
    std::string_view path;    // of the kind of affinity
    std::string_view member;  // "/required…" or "/preferred…"
    write::Surface absent, append, own;
    Rule rule;
    bool weighted;
  };
  void list(const ListPlace& place);
  void value(const ListPlace& place);
};

// The map itself is made by the caller where it is absent.
void Writer::labels() {
  write_own_label(pod(), read::Label::slice_key, write::Surface::label_slice_key,
                  text::view(placement.key), patch);
  write_own_label(pod(), read::Label::priority, write::Surface::label_priority,
                  placement.priority.view(), patch);
}

// The map is there: a TPU Pod of a JobSet selects its accelerator and topology.
void Writer::follow() {
  const std::size_t slash = placement.topology_key.find('/');
  const std::string_view domain = placement.topology_key.substr(0, slash);
  const std::string_view name =
      slash == std::string_view::npos ? "" : placement.topology_key.substr(slash + 1);
  patch.begin(write::PatchOp::add, write::Surface::node_selector,
              std::string_view("/spec/nodeSelector/"), domain,
              slash == std::string_view::npos ? std::string_view() : std::string_view("~1"), name);
  write::append_json_string(out(), placement.follow);
  patch.end();
}

void Writer::append_count(const OtherCounts& others) {
  out().add(std::string_view("{\"key\":\""), read::key::accelerator_count,
            std::string_view("\",\"operator\":\"NotIn\",\"values\":["));
  for (std::size_t i = 0; i < others.size; ++i)
    out().add(i == 0 ? std::string_view("\"") : std::string_view(",\""), others.chips[i], '"');
  out().append(std::string_view("]}"));
}

void Writer::append_node_affinity(const OtherCounts& others) {
  out().add(required_open, std::string_view("{\"nodeSelectorTerms\":[{\"matchExpressions\":["));
  append_count(others);
  out().append(std::string_view("]}]}}"));
}

void Writer::append_weighted() {
  out().append(std::string_view("{\"weight\":100,\"podAffinityTerm\":"));
  append_term(out(), config, placement, Rule::others);
  out().append('}');
}

void Writer::value(const ListPlace& place) {
  if (place.weighted)
    append_weighted();
  else
    append_term(out(), config, placement, place.rule);
}

// One list of terms: ours is there, is replaced where it stands, is appended, or
// makes the list.
void Writer::list(const ListPlace& place) {
  for (std::uint32_t i = place.list.begin; i < place.list.end; ++i) {
    const read::PodTerm& term = pod().pod_terms[i];
    if (!is_ours(pod(), term, config)) continue;
    if (is_term(pod(), term, config, placement, place.rule)) return;
    patch.begin(write::PatchOp::replace, place.own, place.path, place.member, '/',
                i - place.list.begin);
    value(place);
    return patch.end();
  }
  if (place.list.list == read::Presence::present) {
    patch.begin(write::PatchOp::add, place.append, place.path, place.member, append_mark);
    value(place);
  } else {
    patch.begin(write::PatchOp::add, place.absent, place.path, place.member);
    out().append('[');
    value(place);
    out().append(']');
  }
  patch.end();
}

void Writer::append_affinity(const OtherCounts& others) {
  out().append('{');
  if (placement.count) {
    out().append(std::string_view("\"nodeAffinity\":"));
    append_node_affinity(others);
    if (placement.terms) out().append(',');
  }
  if (placement.terms) {
    out().add(std::string_view("\"podAffinity\":"), required_open, '[');
    append_term(out(), config, placement, Rule::own);
    out().add(std::string_view("]},\"podAntiAffinity\":"), required_open, '[');
    append_term(out(), config, placement, Rule::others_of_priority);
    out().append(std::string_view("],\"preferredDuringSchedulingIgnoredDuringExecution\":["));
    append_weighted();
    out().append(std::string_view("]}"));
  }
  out().append('}');
}

void Writer::whole_affinity(const OtherCounts& others) {
  text::Buffer& key = affinities.key;
  key.clear();
  key.add(config.prefix, ';', text::view(placement.key), ';', placement.priority.view(), ';',
          placement.terms ? placement.topology_key : std::string_view());
  for (std::size_t i = 0; placement.count && i < others.size; ++i) key.add(';', others.chips[i]);
  patch.begin(write::PatchOp::add, write::Surface::affinity, std::string_view("/spec/affinity"));
  patch.append(affinities.texts.get(key.view(), [&](text::Buffer& text) {
    to = &text;
    append_affinity(others);
    to = &patch.json();
  }));
  patch.end();
}

bool names_count(const read::Pod& pod, const read::NodeTerm& term) {
  for (std::uint32_t r = term.begin; r < term.end; ++r)
    if (pod.requirements[r].key == read::key::accelerator_count) return true;
  return false;
}

// Inside every term, because terms are ORed. An empty term matches no node, and an
// expression would make it match some.
void Writer::count(const OtherCounts& others) {
  const read::NodeAffinity& affinity = pod().node_affinity;
  if (affinity.present == read::Presence::absent) {
    patch.begin(write::PatchOp::add, write::Surface::node_affinity, node_affinity_path);
    append_node_affinity(others);
    return patch.end();
  }
  // An empty list of terms matches no node, like an empty term.
  if (affinity.terms == read::Presence::absent) {
    const bool make_required = affinity.required == read::Presence::absent;
    if (make_required)
      patch.begin(write::PatchOp::add, write::Surface::node_affinity_required, node_affinity_path,
                  required_member);
    else
      patch.begin(write::PatchOp::add, write::Surface::node_selector_terms, node_affinity_path,
                  required_member, std::string_view("/nodeSelectorTerms"));
    if (make_required) out().append(std::string_view("{\"nodeSelectorTerms\":"));
    out().append(std::string_view("[{\"matchExpressions\":["));
    append_count(others);
    out().append(std::string_view("]}]"));
    if (make_required) out().append('}');
    return patch.end();
  }
  for (std::uint32_t i = affinity.begin; i < affinity.end; ++i) {
    const read::NodeTerm& term = pod().node_terms[i];
    if (term.empty || names_count(pod(), term)) continue;
    const bool present = term.expressions == read::Presence::present;
    patch.begin(write::PatchOp::add,
                present ? write::Surface::match_expression : write::Surface::match_expressions,
                node_affinity_path, required_member, std::string_view("/nodeSelectorTerms/"),
                i - affinity.begin, std::string_view("/matchExpressions"),
                present ? append_mark : std::string_view());
    if (!present) out().append('[');
    append_count(others);
    if (!present) out().append(']');
    patch.end();
  }
}

}  // namespace

void write_own_label(const read::Pod& pod, read::Label which, write::Surface row,
                     std::string_view value, write::Patch& patch) {
  const auto index = static_cast<std::size_t>(which);
  patch.set_own(row, "/metadata/labels/", read::label_keys[index].text, pod.label_values[index],
                value);
}

PriorityText::PriorityText(std::string_view decimal) {
  const auto put = [&](std::string_view part) {
    size_ += part.copy(text_.data() + size_, text_.size() - size_);
  };
  if (decimal.starts_with('-')) {
    put("minus-");
    decimal.remove_prefix(1);
  }
  put(decimal);
}

std::optional<Placement> plan_placement(const Facts& facts, const config::Config& config,
                                        Notes& notes) {
  const read::Pod& pod = *facts.pod;
  if (!facts.slice.multi_host() || !config.placement_for(facts.member->workload, facts.ns))
    return std::nullopt;
  Placement placement;
  placement.key = text::slice_key(facts.member->key_parts);
  // The API server's Priority plugin sets it on every Pod; 0 is its default.
  placement.priority = PriorityText(pod.priority.empty() ? "0" : pod.priority);
  if (placed_by_others(facts) || compared_by_kueue(pod)) return placement;
  if (pod.annotation(read::Annotation::exclusive_topology) == "none") return placement;
  placement.topology_key = topology_key(pod, *facts.member, notes);
  if (pod.selector(read::key::jobset_namespaced_job).empty() &&
      follows_leader(facts, placement, notes))
    return placement;
  if (is_pinned(pod,
                placement.topology_key.empty() ? read::key::node_pool : placement.topology_key))
    return placement;
  placement.terms = !placement.topology_key.empty();
  placement.count =
      other_counts(facts.slice).size > 0 && pod.selector(read::key::accelerator_count).empty();
  return placement;
}

void write_placement(const Facts& facts, const config::Config& config, const Placement& placement,
                     Affinities& affinities, write::Patch& patch) {
  Writer writer{facts, config, placement, affinities, patch};
  writer.labels();
  if (!placement.follow.empty() && !facts.pod->node_selector.empty()) writer.follow();
  if (!placement.terms && !placement.count) return;
  const read::Pod& pod = *facts.pod;
  const OtherCounts others = other_counts(facts.slice);
  if (pod.affinity == read::Presence::absent) return writer.whole_affinity(others);
  if (placement.count) writer.count(others);
  if (!placement.terms) return;
  const auto kind_absent = [&](const read::PodAffinity& kind, write::Surface row,
                               std::string_view path) {
    if (kind.present == read::Presence::present) return;
    patch.begin(write::PatchOp::add, row, path);
    patch.json().append(std::string_view("{}"));
    patch.end();
  };
  kind_absent(pod.pod_affinity, write::Surface::pod_affinity, pod_affinity_path);
  writer.list({pod.pod_affinity.required, pod_affinity_path, required_member,
               write::Surface::pod_affinity_required, write::Surface::pod_affinity_term,
               write::Surface::pod_affinity_term_own, Rule::own, false});
  kind_absent(pod.pod_anti_affinity, write::Surface::pod_anti_affinity, pod_anti_affinity_path);
  writer.list({pod.pod_anti_affinity.required, pod_anti_affinity_path, required_member,
               write::Surface::pod_anti_affinity_required, write::Surface::pod_anti_affinity_term,
               write::Surface::pod_anti_affinity_term_own, Rule::others_of_priority, false});
  writer.list({pod.pod_anti_affinity.preferred, pod_anti_affinity_path, preferred_member,
               write::Surface::pod_anti_affinity_preferred,
               write::Surface::pod_anti_affinity_preferred_term,
               write::Surface::pod_anti_affinity_preferred_own, Rule::others, true});
}

}  // namespace tpuwh::webhook::decide
