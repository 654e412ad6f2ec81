#include "kubectl/predict/explain/placement_words.hpp"

#include "base/counted.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "webhook/placement/placement.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tpuwh::server::explain {

namespace {

namespace key = webhook::read::key;
using webhook::read::Annotation;
using Words = std::vector<std::string>;

constexpr auto required = "requiredDuringSchedulingIgnoredDuringExecution";

bool mentions(const Json& term, const std::string& wanted) {
  const Json& expressions = at(term, {"labelSelector", "matchExpressions"});
  if (!expressions.is_array()) return false;
  for (const Json& each : expressions)
    if (text::text_member(each, "key") == wanted) return true;
  return false;
}

// The domain that required Pod affinity by this label keeps the Pods on; "" where there is none.
std::string kept_on(const Json& pod, const std::string& by) {
  const Json& terms = at(pod, {"spec", "affinity", "podAffinity", required});
  if (!terms.is_array()) return {};
  for (const Json& term : terms)
    if (mentions(term, by)) return text::text_member(term, "topologyKey");
  return {};
}

std::string domain_words(const std::string& topology_key) {
  return topology_key == key::node_pool ? "node pool"
                                        : fmt::format("domain of node label {}", topology_key);
}

// "cloud.google.com/gke-nodepool" of the first of Kueue's annotations, and how it is meant.
std::string kueue_words(const Json& pod) {
  struct Asked {
    Annotation annotation;
    const char* who;
    const char* how;
  };
  static constexpr Asked asked[] = {
      {Annotation::kueue_tas_slice_required, "each slice of its Pods", ""},
      {Annotation::kueue_tas_required, "all Pods of a Pod set", ""},
      {Annotation::kueue_tas_preferred, "all Pods of a Pod set", " where it can"}};
  for (const auto& [key, who, how] : asked)
    if (const auto topology = annotation(pod, key); !topology.empty())
      return fmt::format(": {} on one {}{}", who, domain_words(topology), how);
  return {};
}

std::string pinned_words(const slices::SeenPod& seen) {
  const std::string where = seen.domain_key == key::node_pool
                                ? fmt::format("node pool {}", seen.domain)
                                : fmt::format("{}={}", seen.domain_key, seen.domain);
  if (seen.apart)
    return fmt::format(
        "the Pods select {}, and no other slice of the same priority stands there (terms of "
        "tpu-webhook)",
        where);
  return fmt::format(
      "the Pods select {}, so tpu-webhook adds no terms: slices that it places keep off it, other "
      "Pods that select it do not",
      where);
}

// A sub-slice or a dynamic slice: what it is, and who places its Pods.
std::string part_words(const Json& pod, const slices::SeenPod& seen, bool queued) {
  const std::string slice = selector(pod, key::dynamic_slice);
  if (!slice.empty())
    return fmt::format("the Pods select slice {} of dynamic slicing, so tpu-webhook adds no terms",
                       slice);
  const std::string whole = selector(pod, key::topology);
  const std::string what = whole.empty() || whole == seen.topology
                               ? std::string("the slice is assembled on demand")
                               : fmt::format("{} is a part of {}", seen.topology, whole);
  if (queued || !kueue_words(pod).empty())
    return what +
           ": Kueue places its Pods with topology-aware scheduling, and tpu-webhook adds no terms";
  return what +
         ": its creator, which the manifest does not name, places its Pods, and tpu-webhook adds "
         "no terms";
}

// LeaderWorkerSet makes the workers of a group once the leader is bound, and they select its
// domain.
// "" where it does not, or where the leader is a host of the slice and has terms.
std::string followed_leader(const Json& pod, const slices::SeenPod& seen) {
  const auto domain = annotation(pod, Annotation::lws_exclusive);
  const std::string index = label(pod, webhook::read::Label::lws_worker_index);
  const bool follows = seen.terms == webhook::placement::Terms::added && !domain.empty() &&
                       !index.empty() && index != "0";
  return follows ? fmt::format(
                       "the workers select the {} of their leader once it is bound "
                       "(LeaderWorkerSet), so tpu-webhook adds no terms: slices that it "
                       "places keep off it",
                       domain_words(domain))
                 : "";
}

// Who keeps the hosts of a multi-host slice together.
std::string together(const Json& pod, const slices::SeenPod& seen, std::string_view prefix,
                     bool queued) {
  using enum webhook::placement::Terms;
  const std::string hosts = base::counted(seen.hosts, "host");
  if (const auto follows = followed_leader(pod, seen); !follows.empty()) return follows;
  switch (seen.terms) {
    case added:
      // What stands on the Pod: the answer's own, or somebody's that are the same.
      if (const auto domain = kept_on(pod, std::string(prefix) + "slice-key"); !domain.empty())
        return fmt::format(
            "the {} of a slice on one {}, and no other slice of the same priority there "
            "(terms of tpu-webhook)",
            hosts, domain_words(domain));
      break;
    case webhook::placement::Terms::pinned:
      return pinned_words(seen);
    case follows:
      return fmt::format("the Pods follow their leader onto {}={}", seen.domain_key, seen.domain);
    case part_of_slice:
      return part_words(pod, seen, queued);
    case webhook::placement::Terms::kueue_topology:
      return "Kueue's topology-aware scheduling places the Pods" + kueue_words(pod) +
             "; tpu-webhook adds no terms";
    case kueue_compares:
      return "Kueue compares the Pods of a workload, so tpu-webhook adds the label of the slice "
             "and no terms; use topology-aware scheduling to keep a slice on one node pool";
    case not_wanted:
      return fmt::format(
          "annotation {}exclusive-topology is none, so nothing keeps the {} of a slice on one node "
          "pool",
          prefix, hosts);
    case owner_keeps:
      return "the owner keeps several slices on one domain, so tpu-webhook adds no terms";
    default:
      break;
  }
  return fmt::format("nothing keeps the {} of a slice on one node pool", hosts);
}

// The domain on which JobSet keeps each Job alone, by affinity of its leader; "" for none.
std::string jobset_domain(const Json& pod) {
  return annotation(pod, objects::key::jobset_node_selector).empty()
             ? annotation(pod, Annotation::jobset_exclusive)
             : "";
}

std::string by_itself(const Json& pod) {
  const std::string pool = selector(pod, key::node_pool);
  std::string out = "each Pod is a slice by itself";
  if (!pool.empty()) return out + fmt::format(", on any node of node pool {} that fits", pool);
  return jobset_domain(pod).empty() ? out + ", on any node that fits" : out;
}

// Whose rules apply beside.
void owners_placement(Words& out, const Json& pod, const slices::SeenPod& seen) {
  if (const auto jobset = jobset_domain(pod); !jobset.empty())
    out.push_back(
        seen.hosts == 1
            ? fmt::format("JobSet keeps each Job on one {}, and other Jobs of the same priority "
                          "off it",
                          domain_words(jobset))
            : fmt::format("JobSet creates Pod 0 of each Job first; the others follow once it "
                          "is bound, onto its {}",
                          domain_words(jobset)));
  for (const char* part : {"group", "subgroup"})
    if (const auto lws = kept_on(pod, fmt::format("leaderworkerset.sigs.k8s.io/{}-key", part));
        !lws.empty())
      out.push_back(fmt::format(
          "LeaderWorkerSet keeps each {0} on one {1}, and other {0}s of the namespace off it", part,
          domain_words(lws)));
}

void selected_nodes(Words& out, const Json& pod, const slices::SeenPod& seen) {
  std::string nodes = seen.accelerator.empty() ? "of any accelerator" : "of " + seen.accelerator;
  const auto topology = selector(pod, key::topology);
  if (!topology.empty()) nodes += fmt::format(" with topology {}", topology);
  out.push_back(fmt::format("nodes {}, {} each", nodes, base::counted(seen.chips, "chip")));
  const Json& selectors = at(pod, {"spec", "nodeSelector"});
  if (!selectors.is_object()) return;
  Words others;
  for (const auto& [name, value] : selectors.items())
    if (name != key::accelerator && name != key::topology && name != key::node_pool &&
        value.is_string())
      others.push_back(fmt::format("{}={}", name, value.get_ref<const std::string&>()));
  if (!others.empty())
    out.push_back(fmt::format("the Pods also select {}", fmt::join(others, ", ")));
}

void claimed_devices(Words& out, const Json& pod, const slices::SeenPod& seen) {
  Words names;
  for (const Json& claim : at(pod, {"spec", "resourceClaims"})) {
    const std::string made_of = text::text_member(claim, "resourceClaimTemplateName");
    const std::string name =
        made_of.empty() ? text::text_member(claim, "resourceClaimName") : made_of;
    if (!name.empty())
      names.push_back((made_of.empty() ? "ResourceClaim " : "ResourceClaimTemplate ") + name);
  }
  if (names.empty()) return;
  out.push_back(fmt::format("the Pods {}claim devices: {}", seen.by_claim ? "" : "also ",
                            fmt::join(names, ", ")));
  // docs/facts.md#whose-value-wins
  if (seen.by_claim)
    out.push_back(
        "their chips are among these: a variable that the driver of a claim writes replaces the "
        "injected one of that name");
}

void admitted_first(Words& out, const Json& pod) {
  const Json& gates = at(pod, {"spec", "schedulingGates"});
  if (!gates.is_array()) return;
  Words names;
  for (const Json& gate : gates) names.push_back(text::text_member(gate, "name"));
  if (!names.empty())
    out.push_back(fmt::format("no Pod is scheduled before {} is removed: {}",
                              names.size() == 1 ? "a scheduling gate" : "each scheduling gate",
                              fmt::join(names, ", ")));
}

}  // namespace

std::vector<std::string> placement_words(const Json& pod, const slices::SeenPod& seen,
                                         std::string_view prefix, bool queued) {
  Words out;
  if (seen.multi_host())
    out.push_back(together(pod, seen, prefix, queued));
  else if (seen.hosts == 1)
    out.push_back(by_itself(pod));
  owners_placement(out, pod, seen);
  selected_nodes(out, pod, seen);
  claimed_devices(out, pod, seen);
  admitted_first(out, pod);
  return out;
}

std::string job_on_its_own_pool(const Json& pod, const slices::SeenPod& seen) {
  return seen.hosts == 1 && jobset_domain(pod) == key::node_pool
             ? label(pod, objects::key::jobset_job_key)
             : "";
}

bool is_made_of_blocks(const Json& pod, const slices::SeenPod& seen) {
  return seen.placed_by_others && selector(pod, key::topology).empty();
}

}  // namespace tpuwh::server::explain
