#include "webhook/placement/write_placement.hpp"

#include "webhook/placement/affinity_terms.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tpuwh::webhook::placement {

namespace {

using write::as_string;
using write::Json;
using write::JsonLiteral;

constexpr JsonLiteral required_open = "{\"requiredDuringSchedulingIgnoredDuringExecution\":[";

// ---- JSON

void append_count(Json& out, const topology::OtherChips& others) {
  out << "{\"key\":" << as_string(read::key::accelerator_count)
      << ",\"operator\":\"NotIn\",\"values\":[";
  for (std::size_t i = 0; i < others.size; ++i) {
    if (i > 0) out << ",";
    out << "\"" << others.chips[i] << "\"";
  }
  out << "]}";
}

void append_count_terms(Json& out, const topology::OtherChips& others) {
  out << "[{\"matchExpressions\":[";
  append_count(out, others);
  out << "]}]";
}

// A preference: where every pool that is left is unfit, the slice may still begin on one.
void append_hint(Json& out, const base::NameList& unfit) {
  out << "{\"weight\":100,\"preference\":{\"matchExpressions\":[{\"key\":"
      << as_string(read::key::node_pool) << ",\"operator\":\"NotIn\",\"values\":[";
  for (std::size_t i = 0; i < unfit.size(); ++i) {
    if (i > 0) out << ",";
    out << as_string(unfit[i]);
  }
  out << "]}]}}";
}

void append_node_affinity(Json& out, const topology::OtherChips& others,
                          const base::NameList& unfit) {
  out << "{";
  if (others.size > 0) {
    out << "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":";
    append_count_terms(out, others);
    out << "}";
    if (!unfit.empty()) out << ",";
  }
  if (!unfit.empty()) {
    out << "\"preferredDuringSchedulingIgnoredDuringExecution\":[";
    append_hint(out, unfit);
    out << "]";
  }
  out << "}";
}

void append_weighted(Json& out, const TermParts& parts) {
  out << "{\"weight\":100,\"podAffinityTerm\":";
  append_term(out, parts, Rule::others_of_other_priorities);
  out << "}";
}

void append_affinity(Json& out, const TermParts& parts, const base::NameList& unfit) {
  const Placement& placement = parts.placement;
  out << "{";
  if (placement.not_on.size > 0 || !unfit.empty()) {
    out << "\"nodeAffinity\":";
    append_node_affinity(out, placement.not_on, unfit);
    if (placement.repels()) out << ",";
  }
  if (placement.terms()) {
    out << "\"podAffinity\":" << required_open;
    append_term(out, parts, Rule::own);
    out << "]},";
  }
  if (placement.repels()) {
    out << "\"podAntiAffinity\":" << required_open;
    append_term(out, parts, Rule::others_of_priority);
    out << "]";
    if (placement.terms()) {
      out << ",\"preferredDuringSchedulingIgnoredDuringExecution\":[";
      append_weighted(out, parts);
      out << "]";
    }
    out << "}";
  }
  out << "}";
}

// ---- operations

class Writer {
 public:
  Writer(const config::Config& config, const Placement& placement, const PlacementTarget& target)
      : parts_{config, placement},
        placement_(placement),
        pod_(target.pod),
        unfit_(target.unfit_pools),
        affinities_(target.affinities),
        patch_(target.patch) {}

  void labels();
  void follow();
  void whole_affinity();
  void into_affinity();

 private:
  struct ListPlace {
    const read::TermList& list;
    write::Surface absent, append, own;
    Rule rule;
    bool weighted;
  };
  Json& out() { return patch_.json(); }
  base::Buffer& begin_key();
  bool adds_alone() const;
  void operations();
  void make_operations(Json& text);
  void node_affinity();
  void terms();
  void apart();
  void count();
  void hint();
  void make_node_terms();
  void add_to_node_term(std::uint32_t index, Json::Part& written);
  void make_kind(const read::PodAffinity& kind, write::Surface row);
  void list(const ListPlace& place);
  void value(const ListPlace& place);

  const TermParts parts_;
  const Placement& placement_;
  const read::Pod& pod_;
  const base::NameList& unfit_;
  Affinities& affinities_;
  write::Patch& patch_;
};

// The map itself is made by the caller where it is absent.
void Writer::labels() {
  write_own_label(pod_, read::Label::slice_key, write::Surface::label_slice_key,
                  base::view(placement_.key), patch_);
  write_own_label(pod_, read::Label::priority, write::Surface::label_priority,
                  placement_.priority.view(), patch_);
}

// The map is there: a TPU Pod of a JobSet selects its accelerator and topology.
void Writer::follow() {
  if (placement_.follow.empty() || pod_.node_selector.empty()) return;
  patch_.begin(write::PatchOp::add, write::Surface::node_selector, placement_.topology_key);
  out() << as_string(placement_.follow);
  patch_.end();
}

// What members of a slice have in common, and what the cluster says.
base::Buffer& Writer::begin_key() {
  const topology::OtherChips& others = placement_.not_on;
  base::Buffer& key = affinities_.key;
  key.clear();
  key.add(parts_.config.prefix, ';', base::view(placement_.key), ';', placement_.priority.view(),
          placement_.apart ? '=' : ';',
          placement_.repels() ? placement_.topology_key : std::string_view());
  for (std::size_t i = 0; i < others.size; ++i) key.add(';', others.chips[i]);
  for (std::size_t i = 0; i < unfit_.size(); ++i) key.add('!', unfit_[i]);
  return key;
}

void Writer::whole_affinity() {
  const base::Buffer& key = begin_key();
  patch_.begin(write::PatchOp::add, write::Surface::affinity);
  patch_.append(affinities_.texts.get(key.view(),
                                      [&](Json& text) { append_affinity(text, parts_, unfit_); }));
  patch_.end();
}

// ---- into an affinity that is there

// What is there already, as far as it says which operations there are and where they go.
std::uint32_t presences(const read::Pod& pod) {
  const read::NodeAffinity& node = pod.node_affinity;
  const read::PodAffinity &near = pod.pod_affinity, &away = pod.pod_anti_affinity;
  std::uint32_t all = 0;
  for (const read::Presence each :
       {node.present, node.required, node.terms, node.preferred, near.present, near.required.list,
        away.present, away.required.list, away.preferred.list})
    all = all << 1 | static_cast<std::uint32_t>(each);
  return all;
}

// Whether nothing is replaced and nothing goes into an element of a list: then the operations
// follow from the key and from presences().
bool Writer::adds_alone() const {
  if (placement_.not_on.size > 0 && pod_.node_affinity.terms != read::Presence::absent)
    return false;
  return std::ranges::none_of(pod_.pod_terms, [&](const read::PodTerm& term) {
    return term.begin != term.end && is_ours(pod_, term, parts_.config);
  });
}

void Writer::into_affinity() {
  if (!adds_alone()) return operations();
  base::Buffer& key = begin_key();
  key.add('?', presences(pod_));
  const write::SharedText& made =
      affinities_.texts.get(key.view(), [this](Json& text) { make_operations(text); });
  if (made.json.empty()) return operations();
  patch_.append_operations(made);
}

// None where one is not declared: whoever writes it then spoils the patch.
void Writer::make_operations(Json& text) {
  write::Patch& made = affinities_.operations;
  made.clear(parts_.config.prefix);
  Writer(parts_.config, placement_, {pod_, unfit_, affinities_, made}).operations();
  if (!made.is_spoiled() && made.dropped_bytes() == 0) made.append_operations_to(text);
}

void Writer::operations() {
  node_affinity();
  if (placement_.terms()) terms();
  if (placement_.apart) apart();
}

// -- the nodes' chips

bool names_count(const read::Pod& pod, const read::NodeTerm& term) {
  for (std::uint32_t r = term.begin; r < term.end; ++r)
    if (pod.requirements[r].key == read::key::accelerator_count) return true;
  return false;
}

// An empty list of terms matches no node, like an empty term.
void Writer::make_node_terms() {
  if (pod_.node_affinity.required == read::Presence::absent) {
    patch_.begin(write::PatchOp::add, write::Surface::node_affinity_required);
    out() << "{\"nodeSelectorTerms\":";
    append_count_terms(out(), placement_.not_on);
    out() << "}";
  } else {
    patch_.begin(write::PatchOp::add, write::Surface::node_selector_terms);
    append_count_terms(out(), placement_.not_on);
  }
  patch_.end();
}

// `written` is the expression as it was written for the term before, if there was one.
void Writer::add_to_node_term(std::uint32_t index, Json::Part& written) {
  const read::NodeAffinity& affinity = pod_.node_affinity;
  const bool present = pod_.node_terms[index].expressions == read::Presence::present;
  patch_.begin(write::PatchOp::add,
               present ? write::Surface::match_expression : write::Surface::match_expressions,
               index - affinity.begin);
  if (!present) out() << "[";
  const Json::Mark begin = out().mark();
  if (written.empty())
    append_count(out(), placement_.not_on);
  else
    out().append_again(written);
  const Json::Part expression = out().since(begin);
  if (!present) out() << "]";
  patch_.end();
  // One that found no room was taken back.
  if (written.empty() && out().size() > begin.size) written = expression;
}

// Inside every term, because terms are ORed. An empty term matches no node, and an
// expression would make it match some.
void Writer::count() {
  const read::NodeAffinity& affinity = pod_.node_affinity;
  if (affinity.terms == read::Presence::absent) return make_node_terms();
  Json::Part written;
  for (std::uint32_t i = affinity.begin; i < affinity.end; ++i) {
    const read::NodeTerm& term = pod_.node_terms[i];
    if (!term.empty && !names_count(pod_, term)) add_to_node_term(i, written);
  }
}

void Writer::hint() {
  const bool present = pod_.node_affinity.preferred == read::Presence::present;
  patch_.begin(write::PatchOp::add, present ? write::Surface::node_affinity_preferred_term
                                            : write::Surface::node_affinity_preferred);
  if (!present) out() << "[";
  append_hint(out(), unfit_);
  if (!present) out() << "]";
  patch_.end();
}

void Writer::node_affinity() {
  const bool counts = placement_.not_on.size > 0;
  if (!counts && unfit_.empty()) return;
  if (pod_.node_affinity.present == read::Presence::absent) {
    patch_.begin(write::PatchOp::add, write::Surface::node_affinity);
    append_node_affinity(out(), placement_.not_on, unfit_);
    return patch_.end();
  }
  if (counts) count();
  if (!unfit_.empty()) hint();
}

// -- the other Pods

void Writer::make_kind(const read::PodAffinity& kind, write::Surface row) {
  if (kind.present == read::Presence::present) return;
  patch_.begin(write::PatchOp::add, row);
  out() << "{}";
  patch_.end();
}

void Writer::value(const ListPlace& place) {
  if (place.weighted)
    append_weighted(out(), parts_);
  else
    append_term(out(), parts_, place.rule);
}

// One list of terms: ours is there, is replaced where it stands, is appended, or
// makes the list. Appended without a look, as others do it, a second pass would add it twice.
void Writer::list(const ListPlace& place) {
  for (std::uint32_t i = place.list.begin; i < place.list.end; ++i) {
    const read::PodTerm& term = pod_.pod_terms[i];
    if (term.begin == term.end || !is_ours(pod_, term, parts_.config)) continue;
    if (is_term(pod_, term, parts_, place.rule)) return;
    patch_.begin(write::PatchOp::replace, place.own, i - place.list.begin);
    value(place);
    return patch_.end();
  }
  if (place.list.list == read::Presence::present) {
    patch_.begin(write::PatchOp::add, place.append);
    value(place);
  } else {
    patch_.begin(write::PatchOp::add, place.absent);
    out() << "[";
    value(place);
    out() << "]";
  }
  patch_.end();
}

void Writer::terms() {
  make_kind(pod_.pod_affinity, write::Surface::pod_affinity);
  list({pod_.pod_affinity.required, write::Surface::pod_affinity_required,
        write::Surface::pod_affinity_term, write::Surface::pod_affinity_term_own, Rule::own,
        false});
  apart();
  list({pod_.pod_anti_affinity.preferred, write::Surface::pod_anti_affinity_preferred,
        write::Surface::pod_anti_affinity_preferred_term,
        write::Surface::pod_anti_affinity_preferred_own, Rule::others_of_other_priorities, true});
}

void Writer::apart() {
  make_kind(pod_.pod_anti_affinity, write::Surface::pod_anti_affinity);
  list({pod_.pod_anti_affinity.required, write::Surface::pod_anti_affinity_required,
        write::Surface::pod_anti_affinity_term, write::Surface::pod_anti_affinity_term_own,
        Rule::others_of_priority, false});
}

}  // namespace

void write_own_label(const read::Pod& pod, read::Label which, write::Surface row,
                     std::string_view value, write::Patch& patch) {
  patch.set_own(row, pod.label_values.find(which), value);
}

void write_placement(const config::Config& config, const Placement& placement,
                     const PlacementTarget& target) {
  Writer writer(config, placement, target);
  writer.labels();
  writer.follow();
  if (!placement.repels() && placement.not_on.size == 0) return;
  if (target.pod.affinity == read::Presence::absent) return writer.whole_affinity();
  writer.into_affinity();
}

}  // namespace tpuwh::webhook::placement
