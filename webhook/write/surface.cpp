#include "webhook/write/surface.hpp"

#include "webhook/write/json.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

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
     "no preferred Pod anti-affinity yet", "keeps slices of other priorities away where possible"},
    {PatchOp::add, false,
     "/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/-",
     "preferred Pod anti-affinity of the user's",
     "keeps slices of other priorities away where possible"},
    {PatchOp::replace, false,
     "/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/*",
     "a term of ours for another slice", "the Pod was copied or changed after us"},
}};

constexpr std::array<std::string_view, 3> op_names{"add", "replace", "remove"};

// What stands in front of the first mark.
constexpr std::string_view begin_of(std::string_view path) {
  return path.substr(0, path.find_first_of("*<"));
}

// What stands between a path and the value.
constexpr std::string_view path_end(const SurfaceRow& row) {
  return row.op == PatchOp::remove ? "\"" : "\",\"value\":";
}

// Takes a mark off the front of `path`.
constexpr Marks take_mark(std::string_view& path, bool second) {
  const bool index = path.front() == '*', key = path.starts_with(key_mark);
  path.remove_prefix(index ? 1 : path.find('>') + 1);
  if (index) return second ? Marks::two_indices : Marks::index;
  return key ? Marks::key : Marks::prefix;
}

// The texts of a row, each of which `join` makes of its parts.
template <class Join>
constexpr Spelling spelling_of(const SurfaceRow& row, Join& join) {
  Spelling spelling;
  const std::string_view begin = begin_of(row.path);
  std::string_view rest = row.path.substr(begin.size());
  const auto end = [&] { return rest.empty() ? path_end(row) : std::string_view(); };
  for (const PatchOp op : patch_ops)
    if (row.allows(op)) {
      const auto index = static_cast<std::size_t>(op);
      spelling.heads[index] = join({"{\"op\":\"", op_names[index], "\",\"path\":\"", begin, end()});
    }
  for (std::size_t i = 0; !rest.empty(); ++i) {
    spelling.marks = take_mark(rest, i > 0);
    const std::string_view between = begin_of(rest);
    rest.remove_prefix(between.size());
    spelling.texts[i] = join({between, end()});
  }
  return spelling;
}

using Parts = std::initializer_list<std::string_view>;

// All texts of all rows stand one after the other in one array, which ends in padding.
constexpr std::size_t spelled_size = [] {
  std::size_t size = 0;
  const auto count = [&](Parts parts) {
    for (const std::string_view part : parts) size += part.size();
    return base::PaddedText();
  };
  for (const SurfaceRow& row : rows) spelling_of(row, count);
  return size;
}();

constexpr auto spelled = [] {
  std::array<char, spelled_size + base::PaddedText::step> all{};
  std::size_t at = 0;
  const auto write = [&](Parts parts) {
    for (const std::string_view part : parts)
      for (const char c : part) all[at++] = c;
    return base::PaddedText();
  };
  for (const SurfaceRow& row : rows) spelling_of(row, write);
  return all;
}();

constexpr auto spellings = [] {
  std::array<Spelling, rows.size()> all;
  std::string_view rest(spelled.data(), spelled.size());
  const auto take = [&](Parts parts) {
    std::size_t size = 0;
    for (const std::string_view part : parts) size += part.size();
    const base::PaddedText taken{rest.substr(0, size)};
    rest.remove_prefix(size);
    return taken;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Spelling& spelling = all[i] = spelling_of(rows[i], take);
    spelling.special =
        count_special_bytewise(spelling.heads[static_cast<std::size_t>(rows[i].op)].text);
    for (const base::PaddedText& each : spelling.texts)
      spelling.special += count_special_bytewise(each.text);
  }
  return all;
}();

// What is counted of a row holds for each operation that it allows.
static_assert(std::ranges::all_of(spellings, [](const Spelling& each) {
  const auto replace = each.heads[static_cast<std::size_t>(PatchOp::replace)];
  const auto add = each.heads[static_cast<std::size_t>(PatchOp::add)];
  return replace.empty() || add.empty() ||
         count_special_bytewise(replace.text) == count_special_bytewise(add.text);
}));

}  // namespace

std::string_view name(PatchOp op) {
  return op_names[static_cast<std::size_t>(op)];
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

const Spelling& spelling(Surface row) {
  return spellings[static_cast<std::size_t>(row)];
}

}  // namespace tpuwh::webhook::write
