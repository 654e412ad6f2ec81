// The cluster as this replica knows it: Ray workers and clusters, leaders of Jobs, Nodes with TPUs,
// the Pods that hold their chips, headless Services, resource claims and device classes. Each has
// only the fields that rules read (docs/decisions/0009).
//
// Objects come from watches. A re-list marks what it brings and drops the rest when it is
// whole: meanwhile a reader sees old and new together, never less than there is, and a list
// that fails changes nothing. (docs/decisions/0009)
//
// Written and asked for groups on one thread; ClusterView may be asked on any.
#pragma once

#include "server/kube/store/objects.hpp"
#include "webhook/ledger/group_ledger.hpp"
#include "webhook/read/cluster.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tpuwh::server::kube::store {

enum class Kind { pod, node, service, ray_cluster, claim, claim_template, device_class };
inline constexpr std::size_t kind_count = 7;

// Field selector of Pods that may run: one that ends leaves the watch with a DELETED event.
inline constexpr std::string_view running_pods = "status.phase!=Succeeded,status.phase!=Failed";

class Store final : public webhook::read::ClusterView {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // An event said that a Ray worker with a token has been deleted or has ended.
  using PodGone = std::function<void(const GroupName& group, const std::string& token)>;

  // Config::prefix
  explicit Store(std::string prefix) : prefix_(prefix), reader_(std::move(prefix)) {}
  const std::string& prefix() const { return prefix_; }

  // The roles of the Pods that the store keeps. A Pod is kept if it has at least one of the
  // selected roles; by default all are selected.
  struct KeptOfPods {
    bool ray_workers = true;
    bool leaders = true;  // whether the leader Pods of the Jobs of JobSets are kept
    bool holders = true;  // whether the Pods that use the chips of Nodes are kept
  };
  void keep_of_pods(const KeptOfPods& kept) { kept_ = kept; }

  void when_gone(PodGone listener) { pod_gone_ = std::move(listener); }

  // The functions that write to the store. `json` is the text of one object; webhook::read::padding
  // bytes after the text must be readable.
  void begin_relist(Kind kind);
  void upsert(Kind kind, std::string_view json);
  void remove(Kind kind, std::string_view json);
  void end_relist(Kind kind);
  // An event or a bookmark came: the watch lives.
  void moved(Kind kind, TimePoint now) { moved_[index(kind)] = now; }

  // Listed whole once. Any thread.
  bool synced(Kind kind) const { return synced_[index(kind)]; }
  // When the watch last brought anything. On the writing thread.
  TimePoint moved(Kind kind) const { return moved_[index(kind)]; }
  // Listed, and its watch not silent for limits::api::stale. On the writing thread.
  bool is_fresh(Kind kind, TimePoint now) const;

  std::optional<std::string> ray_headless_service(std::string_view ns,
                                                  std::string_view cluster) const override;
  std::optional<webhook::read::RayGroup> ray_group(std::string_view ns, std::string_view cluster,
                                                   std::string_view group) const override;
  std::optional<std::string> leader_domain(const webhook::read::JobOfJobSet& job,
                                           std::string_view topology_key) const override;

  // Returns the chips of a claim. For a claim that is not in the store, returns Known::unread if
  // the claim can be read from an API server (see read_claims()), otherwise Known::no.
  webhook::read::Claimed claimed(const webhook::read::ClaimSource& source) const override;
  // Returns the chips that a claim with this spec asks for, computed with the device classes in the
  // store. Any thread may call this function.
  webhook::read::Claimed asked_by(const ClaimSpec& spec) const;
  // Whether there is an API server that can be asked for a claim that is not kept. Any thread;
  // there is none at first.
  void read_claims(bool may_be_read) { claims_may_be_read_ = may_be_read; }

  // No pools where trust_pools() says so.
  void unfit_pools(const webhook::read::PoolQuestion& question, base::NameList& out) const override;
  // Whether Nodes and Pods are as the cluster has them: listed, and their watches alive. Any
  // thread; they are not at first.
  void trust_pools(bool trusted) { pools_trusted_ = trusted; }

  // Whether the cluster with this uid is there now, and not another of its name.
  bool has_ray_cluster(std::string_view ns, std::string_view cluster, std::string_view uid) const;

  // The group's Pods that have not ended. On the writing thread.
  const webhook::ledger::GroupPods& group_pods(const GroupName& group) const;

  // All groups that have such Pods. On the writing thread.
  const std::map<GroupName, webhook::ledger::GroupPods>& ray_groups() const { return groups_; }

  // Objects kept, of a kind.
  std::size_t size(Kind kind) const;

 private:
  using Generation = std::uint32_t;
  using Name = std::pair<std::string, std::string>;  // namespace, name

  // Where a Pod is kept, by uid.
  struct PodEntry {
    Generation generation;
    const GroupName* group = nullptr;  // key of groups_
    const JobName* job = nullptr;      // key of leaders_
    webhook::pools::Pools::Host* host = nullptr;
    webhook::pools::Holder holder = {};  // of `host`
  };
  struct Leader {
    std::string job_uid, node;
  };
  struct Service {
    Generation generation;
    std::string ray_cluster;
    bool foreign = false;  // not made by the RayCluster
  };
  struct RayCluster {
    Generation generation;
    std::string uid;
    std::map<std::string, webhook::read::RayGroup, std::less<>> groups;
  };
  // A claim or template. The devices that the claim asks for are computed once for each change of
  // the claim or of a device class, however often the claim is looked up.
  struct Claim {
    Generation generation;
    std::uint64_t classes;  // value of class_changes_ when `asked` was computed
    webhook::read::Claimed asked;
    ClaimSpec spec = {};  // where it is another with another device class
  };
  using Claims = std::map<Name, Claim>;
  struct DeviceClass {
    Generation generation;
    SelectedChips selected;
    std::string extended_resource;
  };

  static constexpr std::size_t index(Kind kind) { return static_cast<std::size_t>(kind); }
  Generation generation(Kind kind) const { return generations_[index(kind)]; }
  void upsert_pod(std::string_view json);
  void remove_pod(const PodObject& pod);
  void keep(PodObject pod);
  void upsert_claim(Kind kind, std::string_view json);
  void remove_claim(Kind kind, std::string_view json);
  Claims& claims(bool of_templates) const { return of_templates ? claim_templates_ : claims_; }
  // `mutex_` is held.
  webhook::read::Claimed understood(const ClaimSpec& spec) const;
  void name_resources();
  void forget(const std::string& uid);
  void put_service(Name name, Service service);
  void drop_service(std::map<Name, Service>::iterator service);

  const std::string prefix_;
  ObjectReader reader_;
  KeptOfPods kept_ = {};
  PodGone pod_gone_;
  mutable std::shared_mutex mutex_;
  std::array<Generation, kind_count> generations_{};
  std::array<std::atomic<bool>, kind_count> synced_{};
  std::array<TimePoint, kind_count> moved_{};
  std::unordered_map<std::string, PodEntry> pods_;
  std::map<GroupName, webhook::ledger::GroupPods> groups_;
  std::map<JobName, std::map<std::string, Leader>> leaders_;
  webhook::pools::Pools pools_;
  std::atomic<bool> pools_trusted_ = false;
  std::map<Name, Service> services_;
  // The names of the Services of each RayCluster, by the namespace and the name of the RayCluster:
  // first the Services that the RayCluster made, then other Services, both in the order of their
  // names.
  std::map<Name, std::set<std::pair<bool, std::string>>> services_of_;
  std::map<Name, RayCluster> ray_clusters_;
  mutable Claims claims_, claim_templates_;
  std::map<std::string, DeviceClass, std::less<>> device_classes_;
  std::uint64_t class_changes_ = 0;
  // The devices for which a container asks with one unit of a resource, by the resource names that
  // the device classes define.
  std::map<std::string, webhook::read::Claimed, std::less<>> resources_;
  std::atomic<bool> claims_may_be_read_ = false;
};

}  // namespace tpuwh::server::kube::store
