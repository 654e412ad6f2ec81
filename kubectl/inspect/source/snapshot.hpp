// A cluster as a file: `kubectl get pods,nodes,services,rayclusters -A -o json`.
#pragma once

#include "base/result.hpp"
#include "server/kube/store/store.hpp"
#include "server/text/json.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/read/cluster.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::source {

inline constexpr std::string_view default_prefix = "tpu-webhook.dev/";

class Snapshot final : public webhook::read::ClusterView {
 public:
  // `text` is a List, or one object. Kinds that nothing is read of are passed over.
  //   prefix  Config::prefix
  //   errors  bad_json, wrong_type: with what was found
  static Result<Snapshot> parse(std::string_view text, std::string_view prefix = default_prefix);
  explicit Snapshot(std::string_view prefix = default_prefix);
  // One more object; another of the same name replaces what was known.
  void add(const Json& object);

  std::optional<std::string> ray_headless_service(std::string_view ns,
                                                  std::string_view cluster) const override;
  std::optional<webhook::read::RayGroup> ray_group(std::string_view ns, std::string_view cluster,
                                                   std::string_view group) const override;

  std::optional<std::string> leader_domain(const webhook::read::JobOfJobSet& job,
                                           std::string_view topology_key) const override;
  void unfit_pools(const webhook::read::PoolQuestion& question, base::NameList& out) const override;
  webhook::read::Claimed claimed(const webhook::read::ClaimSource& source) const override;

  // Tells the ledger of every Ray worker that has its place (place_of_ray_worker).
  void seed(webhook::ledger::Ledger& ledger) const;

 private:
  std::unique_ptr<kube::store::Store> store_;  // its address stays
  std::size_t objects_ = 0;
};

// Which member of its worker group a Ray Pod is: by KubeRay's labels, by our token, or by
// another injector's replicaIndex and TPU_WORKER_ID. Nothing where none of them says it.
std::optional<topology::Place> place_of_ray_worker(const Json& pod);

// A Node, as far as rules read it; nothing where it has no name.
std::optional<webhook::pools::Node> node_of(const Json& node);

}  // namespace tpuwh::server::source
