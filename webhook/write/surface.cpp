#include "webhook/write/surface.hpp"

#include <algorithm>
#include <array>

namespace tpuwh::webhook::write {

namespace {

constexpr std::string_view whole = "a slice whose hosts are on several node pools never forms";

// In the order of enum Surface.
constexpr std::array<SurfaceRow, static_cast<std::size_t>(Surface::count_)> rows{{
    {PatchOp::add, false, "/metadata/labels", "the Pod has no labels",
     "a map for the labels below"},
    {PatchOp::add, true, "/metadata/labels/<prefix>slice-key", "member of a multi-host slice",
     "names the slice, so that placement terms of every workload API can tell slices apart"},
    {PatchOp::add, true, "/metadata/labels/<prefix>priority", "member of a multi-host slice",
     "spec.priority, so that slices repel each other within one priority and preemption works "
     "between priorities"},
    {PatchOp::add, true, "/metadata/labels/<prefix>token",
     "Ray worker without KubeRay's index labels",
     "tells the Pod that was given a place from a copy of it"},
    {PatchOp::add, true, "/metadata/labels/replicaIndex",
     "Ray worker without this label, or a copy of one that had a place",
     "Ray's autoscaler scales the hosts of a slice together by this label"},
    {PatchOp::add, false, "/metadata/annotations", "the Pod has no annotations",
     "a map for the annotations below"},
    {PatchOp::add, true, "/metadata/annotations/<prefix>injected",
     "variables were injected, or the Pod's place is known",
     "says which variables are ours, so that a second pass changes nothing and a user's value "
     "is never touched"},
    {PatchOp::add, true, "/metadata/annotations/<prefix>slice", "the Pod's place is known",
     "says in words which slice and member this is"},
    {PatchOp::add, true, "/spec/hostname",
     "Ray worker without one, or a copy of one that had a place", "gives the worker a DNS name"},
    {PatchOp::add, false, "/spec/subdomain", "Ray worker without one",
     "names KubeRay's headless Service, which creates the DNS record"},
    {PatchOp::add, false, "/spec/containers/*/env", "TPU container without env",
     "a list for the variables"},
    {PatchOp::add, false, "/spec/containers/*/env/*", "TPU container lacks the variable",
     "injects one variable of the TPU environment, in front of the user's"},
    {PatchOp::replace, false, "/spec/containers/*/env/*/value",
     "the platform's own default on a multi-host Pod, or a value we wrote before",
     "a default of 0 or localhost would start each host as a separate job"},
    {PatchOp::remove, false, "/spec/containers/*/env/*",
     "a variable we wrote before that no longer applies",
     "another webhook changed the Pod after us"},
    {PatchOp::add, false, "/spec/initContainers/*/env", "TPU init container without env",
     "a list for the variables"},
    {PatchOp::add, false, "/spec/initContainers/*/env/*", "TPU init container lacks the variable",
     "injects one variable of the TPU environment, in front of the user's"},
    {PatchOp::replace, false, "/spec/initContainers/*/env/*/value",
     "the platform's own default on a multi-host Pod, or a value we wrote before",
     "a default of 0 or localhost would start each host as a separate job"},
    {PatchOp::remove, false, "/spec/initContainers/*/env/*",
     "a variable we wrote before that no longer applies",
     "another webhook changed the Pod after us"},
    {PatchOp::add, false, "/spec/nodeSelector/<key>",
     "follower of a JobSet with exclusive placement, by the key of JobSet's annotation, once its "
     "leader is bound",
     "the pool of its leader, as JobSet's own webhook writes it"},
    {PatchOp::add, false, "/spec/affinity", "member of a multi-host slice, no affinity yet", whole},
    {PatchOp::add, false, "/spec/affinity/nodeAffinity", "no node affinity yet",
     "two hosts of a slice must not share a VM with more chips, and a slice should not begin on a "
     "node pool that cannot hold it"},
    {PatchOp::add, false,
     "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",
     "no required node affinity yet", "two hosts of a slice must not share a VM with more chips"},
    {PatchOp::add, false,
     "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
     "nodeSelectorTerms",
     "no terms yet", "two hosts of a slice must not share a VM with more chips"},
    {PatchOp::add, false,
     "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
     "nodeSelectorTerms/*/matchExpressions",
     "a term without expressions", "two hosts of a slice must not share a VM with more chips"},
    {PatchOp::add, false,
     "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
     "nodeSelectorTerms/*/matchExpressions/-",
     "inside every term, because terms are ORed",
     "two hosts of a slice must not share a VM with more chips"},
    {PatchOp::add, false,
     "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution",
     "the first time, where the Pod gets the terms below with the node pool as their domain, node "
     "pools cannot hold its slice whole, and it has no preferred node affinity",
     "a slice should not begin on a node pool that cannot hold it"},
    {PatchOp::add, false,
     "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/-",
     "the same beside preferred node affinity of the user's",
     "a slice should not begin on a node pool that cannot hold it"},
    {PatchOp::add, false, "/spec/affinity/podAffinity", "no Pod affinity yet", whole},
    {PatchOp::add, false,
     "/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution",
     "no required Pod affinity yet", whole},
    {PatchOp::add, false,
     "/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/-",
     "required Pod affinity of the user's", "keeps the slice on one domain"},
    {PatchOp::replace, false,
     "/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/*",
     "a term of ours for another slice", "the Pod was copied or changed after us"},
    {PatchOp::add, false, "/spec/affinity/podAntiAffinity", "no Pod anti-affinity yet",
     "keeps other slices away"},
    {PatchOp::add, false,
     "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution",
     "no required Pod anti-affinity yet", "keeps slices of the same priority away"},
    {PatchOp::add, false,
     "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/-",
     "required Pod anti-affinity of the user's", "keeps slices of the same priority away"},
    {PatchOp::replace, false,
     "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/*",
     "a term of ours for another slice", "the Pod was copied or changed after us"},
    {PatchOp::add, false,
     "/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution",
     "no preferred Pod anti-affinity yet", "keeps slices of every priority away where possible"},
    {PatchOp::add, false,
     "/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/-",
     "preferred Pod anti-affinity of the user's",
     "keeps slices of every priority away where possible"},
    {PatchOp::replace, false,
     "/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/*",
     "a term of ours for another slice", "the Pod was copied or changed after us"},
}};

constexpr std::string_view prefix_mark = "<prefix>";
constexpr std::string_view key_mark = "<key>";

// Takes a canonical index ("0", "17") off the front of `path`.
bool take_index(std::string_view& path) {
  std::size_t digits = 0;
  while (digits < path.size() && path[digits] >= '0' && path[digits] <= '9') ++digits;
  if (digits == 0 || (digits > 1 && path.front() == '0')) return false;
  path.remove_prefix(digits);
  return true;
}

// Where the first '*' or '<' of each path is, or its length: what is in front is
// compared in one go.
constexpr auto literal_lengths = [] {
  std::array<std::size_t, rows.size()> lengths{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    lengths[i] = rows[i].path.size();
    for (std::size_t at = rows[i].path.size(); at > 0; --at)
      if (rows[i].path[at - 1] == '*' || rows[i].path[at - 1] == '<') lengths[i] = at - 1;
  }
  return lengths;
}();

bool matches(std::size_t row, std::string_view path, std::string_view escaped_prefix) {
  std::string_view pattern = rows[row].path;
  const std::size_t literal = literal_lengths[row];
  if (path.substr(0, literal) != pattern.substr(0, literal)) return false;
  path.remove_prefix(literal);
  pattern.remove_prefix(literal);
  while (!pattern.empty()) {
    if (pattern.front() == '*') {
      if (!take_index(path)) return false;
      pattern.remove_prefix(1);
    } else if (pattern.starts_with(key_mark)) {
      const std::size_t key = std::min(path.find('/'), path.size());
      if (key == 0) return false;
      path.remove_prefix(key);
      pattern.remove_prefix(key_mark.size());
    } else if (pattern.front() == '<') {
      if (!path.starts_with(escaped_prefix)) return false;
      path.remove_prefix(escaped_prefix.size());
      pattern.remove_prefix(prefix_mark.size());
    } else {
      if (path.empty() || path.front() != pattern.front()) return false;
      path.remove_prefix(1);
      pattern.remove_prefix(1);
    }
  }
  return path.empty();
}

}  // namespace

std::string_view name(PatchOp op) {
  switch (op) {
    case PatchOp::add:
      return "add";
    case PatchOp::replace:
      return "replace";
    case PatchOp::remove:
      return "remove";
  }
  return "";
}

std::span<const SurfaceRow> surface() {
  return rows;
}

std::span<const std::string_view> never_written() {
  static constexpr std::string_view fields[] = {
      "image",   "command",        "args",      "ports",       "securityContext",
      "volumes", "serviceAccount", "resources", "tolerations", "nodeName"};
  return fields;
}

bool allows(Surface row, PatchOp op, std::string_view path, std::string_view escaped_prefix) {
  const auto index = static_cast<std::size_t>(row);
  const SurfaceRow& declared = rows[index];
  const bool op_allowed = op == declared.op || (op == PatchOp::replace && declared.also_replace);
  return op_allowed && matches(index, path, escaped_prefix);
}

const SurfaceRow* find_row(PatchOp op, std::string_view path, std::string_view escaped_prefix) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (allows(static_cast<Surface>(i), op, path, escaped_prefix)) return &rows[i];
  return nullptr;
}

}  // namespace tpuwh::webhook::write
