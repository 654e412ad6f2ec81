// A cluster as a file: `kubectl get pods,nodes,services,rayclusters -A -o json`.
#pragma once

#include "topology/result.hpp"
#include "webhook/cluster.hpp"
#include "webhook/ledger.hpp"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server {

class Snapshot final : public webhook::ClusterView {
 public:
  // `text` is a List, or one object. Kinds that nothing is read of are passed over.
  //   errors  bad_json, wrong_type: with what was found
  static Result<Snapshot> parse(std::string_view text);
  // One more object; another of the same name replaces what was known.
  void add(const nlohmann::ordered_json& object);

  std::optional<std::string> ray_headless_service(std::string_view ns,
                                                  std::string_view cluster) const override;
  std::optional<webhook::RayGroup> ray_group(std::string_view ns, std::string_view cluster,
                                             std::string_view group) const override;

  std::optional<std::uint32_t> claimed_chips(std::string_view ns,
                                             std::string_view template_name) const override;

  // Tells the ledger of every Ray worker that has its place (place_of_ray_worker).
  void tell(webhook::Ledger& ledger) const;

 private:
  struct Worker {
    std::string ns, cluster, cluster_uid, group, token;
    topology::Place place;
  };
  using Name = std::pair<std::string, std::string>;  // namespace, name

  void read_pod(const nlohmann::ordered_json& pod);

  std::map<Name, std::string> services_;  // by RayCluster
  std::map<Name, std::optional<std::uint32_t>> claim_templates_;
  std::map<Name, std::map<std::string, webhook::RayGroup, std::less<>>> groups_;
  std::vector<Worker> workers_;
};

// Which member of its worker group a Ray Pod is: by KubeRay's labels, by our token, or by
// another injector's replicaIndex and TPU_WORKER_ID. Nothing where none of them says it.
std::optional<topology::Place> place_of_ray_worker(const nlohmann::ordered_json& pod);

}  // namespace tpuwh::server
