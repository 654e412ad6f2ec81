#include "kubectl/inspect/running/cluster_source.hpp"

#include "server/kube/access/errc.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::running {

namespace {

using kube::client::Resource;
using running::Listing;
using End = Listing::End;

// Newest first. source: kubernetes/api resource/v1 (1.34), v1beta1 (1.32), read 2026-11.
constexpr const char* claim_versions[] = {"v1", "v1beta1"};
// source: Kueue apis/kueue (ff69552), v1beta2 since 0.15.
constexpr const char* queue_versions[] = {"v1beta2", "v1beta1"};
// source: GKE, "About custom compute classes" (docs.cloud.google.com), read 2026-08.
constexpr const char* class_versions[] = {"v1"};

bool has_no_namespace(std::string_view kind) {
  return kind == "Node" || kind == "ClusterQueue" || kind == "ResourceFlavor" ||
         kind == "ComputeClass" || kind == "ResourceSlice" || kind == "DeviceClass";
}

// In its specification: the status names the claims that were made for the Pod, too.
bool names_claim(std::string_view pod) {
  if (pod.find("\"resourceClaimName\"") == pod.npos || text::json_fault(pod)) return false;
  const auto object = text::parse_or_discard(pod);
  const auto& claims = text::member(text::member(object, "spec"), "resourceClaims");
  return std::ranges::any_of(claims, [](const auto& each) {
    return !text::text_member(each, "resourceClaimName").empty();
  });
}

Error failure(std::string why) {
  return Error(kube::access::Errc::api_access, std::move(why));
}

}  // namespace

// With neighbours of all namespaces; where that is not allowed, of the one that was asked for.
Listing ClusterSource::list(Resource resource, std::string_view kind, const Text& each) {
  progress_->now("listing " + resource.name());
  const bool wide = has_no_namespace(kind);
  resource.ns = wide || scope_.neighbours ? "" : scope_.ns;
  Listing listing = session_.list(resource, {}, kind, each);
  const bool narrower =
      listing.end == End::forbidden && !wide && resource.ns.empty() && !scope_.ns.empty();
  if (!narrower) return listing;
  not_known_.push_back("objects of namespaces other than " + scope_.ns + ": " + listing.why);
  resource.ns = scope_.ns;
  return session_.list(resource, {}, kind, each);
}

// nlohmann overflows the stack on what is nested without end.
ClusterSource::Text ClusterSource::parse_for(std::string_view kind, const Each& each) {
  return [this, kind, &each](std::string_view json) {
    if (const auto fault = text::json_fault(json))
      not_known_.push_back(fmt::format("{} {}: {}", kind, name_in(json), fault->text()));
    else
      each(kind, text::parse_or_discard(json));
  };
}

// Their texts, which are a third of what they are when parsed.
Result<std::vector<std::string>> ClusterSource::list_pods() {
  std::vector<std::string> texts;
  const Listing pods = list({"", "v1", "pods", ""}, "Pod", [&](std::string_view json) {
    const auto has = [&](std::string_view key) { return json.find(key) != std::string_view::npos; };
    claims_ = claims_ || has("\"resourceClaimTemplateName\"");
    named_claims_ = named_claims_ || names_claim(json);
    drivers_ = drivers_ || has("\"resourceClaims\"") || has("\"extendedResourceClaimStatus\"");
    texts.emplace_back(json);
  });
  if (pods.end == End::partial)
    not_known_.push_back(pods.why);
  else if (!pods.whole())
    return failure(pods.why);
  return texts;
}

Result<void> ClusterSource::note(const Listing& listing, std::string_view kind) {
  if (listing.end == End::failed) return failure(listing.why);
  if (listing.end == End::not_served) not_served_.emplace(kind);
  if (listing.end == End::forbidden || listing.end == End::partial)
    not_known_.push_back(listing.why);
  else
    listed_.emplace(kind);
  return {};
}

Result<void> ClusterSource::list_around(Resource resource, std::string_view kind,
                                        const Each& each) {
  return note(list(std::move(resource), kind, parse_for(kind, each)), kind);
}

Listing ClusterSource::list_newest(Resource resource, std::string_view kind,
                                   std::span<const char* const> versions, const Each& each) {
  Listing listing;
  for (const char* version : versions) {
    resource.version = version;
    listing = list(resource, kind, parse_for(kind, each));
    if (listing.end != End::not_served) break;
  }
  return listing;
}

Result<void> ClusterSource::list_of_claims(const char* plural, std::string_view kind,
                                           const std::string& unknown, const Each& each) {
  const Listing listing =
      list_newest({"resource.k8s.io", "", plural, ""}, kind, claim_versions, each);
  if (listing.end == End::failed) return failure(listing.why);
  if (!listing.whole()) not_known_.push_back(unknown + ": " + listing.why);
  return {};
}

Result<void> ClusterSource::list_queues(const Each& each) {
  constexpr std::pair<const char*, const char*> kinds[] = {{"localqueues", "LocalQueue"},
                                                           {"clusterqueues", "ClusterQueue"},
                                                           {"resourceflavors", "ResourceFlavor"}};
  for (const auto& [plural, kind] : kinds) {
    const Resource resource{"kueue.x-k8s.io", "", plural, ""};
    if (auto told = note(list_newest(resource, kind, queue_versions, each), kind); !told)
      return told;
  }
  const Resource classes{"cloud.google.com", "", "computeclasses", ""};
  return note(list_newest(classes, "ComputeClass", class_versions, each), "ComputeClass");
}

Result<void> ClusterSource::for_each(const Each& each) {
  print::Progress progress(scope_.progress);
  progress_ = &progress;
  listed_.clear();
  not_served_.clear();
  not_known_.clear();
  claims_ = named_claims_ = drivers_ = scope_.claims;
  auto pods = list_pods();  // asked for first: without them the rest is of no use
  if (!pods) return pods.error();
  const std::pair<Resource, const char*> around[] = {
      {{"", "v1", "nodes", ""}, "Node"},
      {{"", "v1", "services", ""}, "Service"},
      {{"ray.io", "v1", "rayclusters", ""}, "RayCluster"}};
  for (const auto& [resource, kind] : around)
    if (auto told = list_around(resource, kind, each); !told) return told;
  const struct {
    bool asked;
    const char *plural, *kind, *unknown;
  } of_claims[] = {
      {claims_, "resourceclaimtemplates", "ResourceClaimTemplate",
       "chips of Pods that use a ResourceClaimTemplate"},
      {named_claims_, "resourceclaims", "ResourceClaim", "chips of Pods that name a ResourceClaim"},
      {claims_ || named_claims_, "deviceclasses", "DeviceClass",
       "whose devices those of another class than tpu.google.com are"},
      {drivers_, "resourceslices", "ResourceSlice", "what a driver of claims takes a node to be"}};
  for (const auto& one : of_claims)
    if (one.asked)
      if (auto told = list_of_claims(one.plural, one.kind, one.unknown, each); !told) return told;
  if (scope_.queues)
    if (auto told = list_queues(each); !told) return told;
  const Text tell_pod = parse_for("Pod", each);
  for (std::string& text : *pods) tell_pod(std::exchange(text, {}));
  return {};
}

std::string ClusterSource::missing_namespace(const std::string& ns) {
  const auto response = session_.send(kube::client::get({"", "v1", "namespaces", ""}, ns));
  const bool absent = response.answered() && response.head.status == 404;
  return absent ? fmt::format("namespace {} does not exist", ns) : std::string();
}

}  // namespace tpuwh::server::running
