#include "webhook/read/affinity.hpp"

#include "base/names.hpp"

#include <algorithm>

namespace tpuwh::webhook::read {

namespace {

bool read_values(base::json::Reader& in, Requirement& requirement, Pod& pod) {
  if (in.take_null()) return true;
  const bool read = in.array([&](std::size_t) {
    std::string_view value;
    return in.string(value) && keep(in, pod.values, value);
  });
  requirement.values_end = static_cast<std::uint32_t>(pod.values.size());
  return read;
}

bool read_requirements(base::json::Reader& in, Pod& pod) {
  return in.array([&](std::size_t) {
    Requirement requirement;
    requirement.values_begin = requirement.values_end =
        static_cast<std::uint32_t>(pod.values.size());
    const bool read =
        in.take_empty_object() || in.object([&](std::string_view key, base::json::Seen& seen) {
          if (key == "key") return in.first(seen, 0) && in.string(requirement.key);
          if (key == "operator") return in.first(seen, 1) && in.string(requirement.op);
          if (key == "values") return in.first(seen, 2) && read_values(in, requirement, pod);
          return in.skip();
        });
    if (!read || !keep(in, pod.requirements, requirement)) return false;
    if (requirement.values_end - requirement.values_begin == 1 && requirement.op == "In")
      pod.pins.push_back(static_cast<std::uint32_t>(pod.requirements.size() - 1));
    return true;
  });
}

bool read_node_term(base::json::Reader& in, Pod& pod) {
  NodeTerm term;
  term.begin = static_cast<std::uint32_t>(pod.requirements.size());
  term.pins_begin = static_cast<std::uint32_t>(pod.pins.size());
  const bool read =
      in.take_empty_object() || in.object([&](std::string_view key, base::json::Seen& seen) {
        if (key == "matchExpressions") {
          if (!in.first(seen, 0) || in.take_null()) return !in.failed();
          term.expressions = Presence::present;
          return read_requirements(in, pod);
        }
        if (key == "matchFields") {
          if (!in.first(seen, 1) || in.take_null()) return !in.failed();
          return in.array([&](std::size_t) {
            term.empty = false;
            return in.skip();
          });
        }
        return in.skip();
      });
  term.end = static_cast<std::uint32_t>(pod.requirements.size());
  term.pins_end = static_cast<std::uint32_t>(pod.pins.size());
  if (term.end > term.begin) term.empty = false;
  return read && keep(in, pod.node_terms, term);
}

bool read_node_selector_terms(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  pod.node_affinity.terms = Presence::present;
  const bool read = in.array([&](std::size_t) { return read_node_term(in, pod); });
  pod.node_affinity.end = static_cast<std::uint32_t>(pod.node_terms.size());
  return read;
}

bool read_node_affinity(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  pod.node_affinity.present = Presence::present;
  return in.object([&](std::string_view key, base::json::Seen& outer) {
    if (key == "preferredDuringSchedulingIgnoredDuringExecution") {
      if (!in.first(outer, 1) || in.take_null()) return !in.failed();
      pod.node_affinity.preferred = Presence::present;
      return in.array([&](std::size_t) { return in.skip(); });
    }
    if (key != "requiredDuringSchedulingIgnoredDuringExecution") return in.skip();
    if (!in.first(outer, 0) || in.take_null()) return !in.failed();
    pod.node_affinity.required = Presence::present;
    return in.object([&](std::string_view member, base::json::Seen& inner) {
      if (member != "nodeSelectorTerms") return in.skip();
      return in.first(inner, 0) && read_node_selector_terms(in, pod);
    });
  });
}

bool read_label_selector(base::json::Reader& in, Pod& pod) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key != "matchExpressions") return in.skip();
    if (!in.first(seen, 0) || in.take_null()) return !in.failed();
    return read_requirements(in, pod);
  });
}

bool read_namespace_selector(base::json::Reader& in, PodTerm& term) {
  if (in.take_null()) return true;
  term.reach = TermReach::every_namespace;
  return in.object([&](std::string_view) {
    term.reach = TermReach::some_namespaces;
    return in.skip();
  });
}

// An empty list says nothing. A selector beside it adds to it, so {} stays every namespace.
bool read_namespaces(base::json::Reader& in, PodTerm& term) {
  if (in.take_null()) return true;
  return in.array([&](std::size_t) {
    if (term.reach == TermReach::own_namespace) term.reach = TermReach::some_namespaces;
    return in.skip();
  });
}

bool read_pod_term(base::json::Reader& in, PodTerm& term, Pod& pod) {
  term.begin = static_cast<std::uint32_t>(pod.requirements.size());
  const bool read =
      in.take_empty_object() || in.object([&](std::string_view key, base::json::Seen& seen) {
        if (key == "labelSelector") return in.first(seen, 0) && read_label_selector(in, pod);
        if (key == "topologyKey") return in.first(seen, 1) && in.string(term.topology_key);
        if (key == "namespaceSelector")
          return in.first(seen, 2) && read_namespace_selector(in, term);
        if (key == "namespaces") return in.first(seen, 3) && read_namespaces(in, term);
        return in.skip();
      });
  term.end = static_cast<std::uint32_t>(pod.requirements.size());
  return read;
}

bool read_weight(base::json::Reader& in, PodTerm& term) {
  std::string_view text;
  if (in.take_null()) return true;
  if (!in.number(text)) return false;
  term.weight = base::plain_decimal(text).value_or(0);
  return true;
}

bool read_weighted_term(base::json::Reader& in, PodTerm& term, Pod& pod) {
  return in.take_empty_object() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "weight") return in.first(seen, 0) && read_weight(in, term);
    if (key == "podAffinityTerm") return in.first(seen, 1) && read_pod_term(in, term, pod);
    return in.skip();
  });
}

// `read_term`: of required terms, or of preferred ones.
template <auto read_term>
bool read_terms(base::json::Reader& in, TermList& list, Pod& pod) {
  if (in.take_null()) return true;
  list.list = Presence::present;
  list.begin = list.end = static_cast<std::uint32_t>(pod.pod_terms.size());
  return in.array([&](std::size_t) {
    PodTerm term;
    if (!read_term(in, term, pod) || !keep(in, pod.pod_terms, term)) return false;
    ++list.end;
    return true;
  });
}

bool read_pod_affinity(base::json::Reader& in, PodAffinity& affinity, Pod& pod) {
  if (in.take_null()) return true;
  affinity.present = Presence::present;
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "requiredDuringSchedulingIgnoredDuringExecution")
      return in.first(seen, 0) && read_terms<read_pod_term>(in, affinity.required, pod);
    if (key == "preferredDuringSchedulingIgnoredDuringExecution")
      return in.first(seen, 1) && read_terms<read_weighted_term>(in, affinity.preferred, pod);
    return in.skip();
  });
}

std::string_view single_value(const Pod& pod, const NodeTerm& term, std::string_view key) {
  for (std::uint32_t i = term.pins_begin; i < term.pins_end; ++i) {
    const Requirement& requirement = pod.requirements[pod.pins[i]];
    if (requirement.key == key) return pod.values[requirement.values_begin];
  }
  return {};
}

bool excludes(const Pod& pod, const Requirement& requirement, const Selector& label) {
  const auto begin = pod.values.begin() + requirement.values_begin;
  const auto end = pod.values.begin() + requirement.values_end;
  const bool among = std::find(begin, end, label.value) != end;
  if (requirement.op == "In") return !among;
  return requirement.op == "NotIn" ? among : requirement.op == "DoesNotExist";
}

bool term_excludes(const Pod& pod, const NodeTerm& term, const Selector& label) {
  for (const Requirement& each :
       std::span(pod.requirements).subspan(term.begin, term.end - term.begin))
    if (each.key.size() == label.key.size() && each.key == label.key && excludes(pod, each, label))
      return true;
  return false;
}

}  // namespace

bool read_affinity(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  pod.affinity = Presence::present;
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "nodeAffinity") return in.first(seen, 0) && read_node_affinity(in, pod);
    if (key == "podAffinity")
      return in.first(seen, 1) && read_pod_affinity(in, pod.pod_affinity, pod);
    if (key == "podAntiAffinity")
      return in.first(seen, 2) && read_pod_affinity(in, pod.pod_anti_affinity, pod);
    return in.skip();
  });
}

std::span<const Requirement> node_requirements(const Pod& pod) {
  const NodeAffinity& affinity = pod.node_affinity;
  if (affinity.begin == affinity.end) return {};
  const std::uint32_t begin = pod.node_terms[affinity.begin].begin;
  return std::span(pod.requirements).subspan(begin, pod.node_terms[affinity.end - 1].end - begin);
}

std::string_view pinned_value(const Pod& pod, std::string_view key) {
  std::string_view found;
  for (std::uint32_t i = pod.node_affinity.begin; i < pod.node_affinity.end; ++i) {
    if (pod.node_terms[i].empty) continue;  // matches nothing, so it frees nothing
    const std::string_view value = single_value(pod, pod.node_terms[i], key);
    if (value.empty() || (!found.empty() && value != found)) return {};
    found = value;
  }
  return found;
}

bool node_affinity_excludes(const Pod& pod, const Selector& label) {
  for (std::uint32_t i = pod.node_affinity.begin; i < pod.node_affinity.end; ++i)
    if (!term_excludes(pod, pod.node_terms[i], label)) return false;
  return pod.node_affinity.begin < pod.node_affinity.end;
}

bool node_affinity_mentions(const Pod& pod, std::string_view key_prefix) {
  return std::ranges::any_of(node_requirements(pod), [&](const Requirement& each) {
    return each.key.starts_with(key_prefix);
  });
}

}  // namespace tpuwh::webhook::read
