// The objects of a running cluster, listed from its API server.
//
// Pods are asked for always; Nodes, Services, RayClusters and, where a Pod has claims,
// ResourceClaimTemplates, DeviceClasses and ResourceSlices, and where one names a claim of its own,
// ResourceClaims, as far as they may be read. What may not be read is
// told in not_known(); a resource that is not served has no objects. With ClusterScope::queues also
// the quota of Kueue, and the ComputeClasses of GKE.
#pragma once

#include "kubectl/inspect/running/api_server.hpp"
#include "kubectl/inspect/source/object_source.hpp"
#include "kubectl/print/progress.hpp"

#include <chrono>
#include <iosfwd>
#include <optional>
#include <set>
#include <span>

namespace tpuwh::server::running {

// Whose objects are asked for.
struct ClusterScope {
  std::string ns = {};  // "" for all namespaces
  // Of all namespaces even so, as far as allowed: slices of others stand on the same pools.
  bool neighbours = false;
  // LocalQueues, ClusterQueues, ResourceFlavors and ComputeClasses, too.
  bool queues = false;
  // What Pods with resource claims ask for and by whom they are served, although no Pod has one.
  bool claims = false;
  // A terminal on which to say what is being listed, where that takes long; null for none.
  std::ostream* progress = nullptr;
};

class ClusterSource final : public source::ObjectSource {
 public:
  // `session` outlives it.
  ClusterSource(running::ApiServer& session, ClusterScope scope)
      : session_(session), scope_(std::move(scope)) {}

  //   errors  api_access: the API server was not reached, or Pods may not be listed: a sentence
  Result<void> for_each(const Each& each) override;
  bool listed(std::string_view kind) const override { return listed_.contains(kind); }
  bool served(std::string_view kind) const override { return !not_served_.contains(kind); }
  std::optional<std::chrono::system_clock::time_point> now() const override {
    return std::chrono::system_clock::now();
  }
  std::vector<std::string> not_known() const override { return not_known_; }
  // Asks the API server; who may not get namespaces is told of none.
  std::string missing_namespace(const std::string& ns) override;

 private:
  using Text = running::ApiServer::Each;

  running::Listing list(kube::client::Resource resource, std::string_view kind, const Text& each);
  Result<std::vector<std::string>> list_pods();
  Text parse_for(std::string_view kind, const Each& each);
  // In the first of these versions that is served.
  running::Listing list_newest(kube::client::Resource resource, std::string_view kind,
                               std::span<const char* const> versions, const Each& each);
  Result<void> list_around(kube::client::Resource resource, std::string_view kind,
                           const Each& each);
  // What became of a kind that is around.
  Result<void> note(const running::Listing& listing, std::string_view kind);
  // Of resource.k8s.io; `unknown` is what is not, where they may not be read.
  Result<void> list_of_claims(const char* plural, std::string_view kind, const std::string& unknown,
                              const Each& each);
  Result<void> list_queues(const Each& each);

  running::ApiServer& session_;
  const ClusterScope scope_;
  std::set<std::string, std::less<>> listed_, not_served_;
  std::vector<std::string> not_known_;
  bool claims_ = false;                  // a Pod names a ResourceClaimTemplate
  bool named_claims_ = false;            // a Pod names a ResourceClaim
  bool drivers_ = false;                 // a Pod has a claim, or the scheduler made one for it
  print::Progress* progress_ = nullptr;  // of the for_each that is under way
};

}  // namespace tpuwh::server::running
