// Resource claims as sessions see them: they ask for what a Pod depends on, and wait for the
// answer.
#pragma once

#include "server/net/asio.hpp"
#include "webhook/read/cluster.hpp"

#include <compare>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::kube::places {

// A webhook::read::ClaimSource that outlives the review it came with.
struct OwnedClaim {
  explicit OwnedClaim(const webhook::read::ClaimSource& source)
      : ns(source.ns), name(source.name), made(source.made) {}
  auto operator<=>(const OwnedClaim&) const = default;

  std::string ns, name;
  bool made;
};

inline std::vector<OwnedClaim> owned(std::span<const webhook::read::ClaimSource> sources) {
  return {sources.begin(), sources.end()};
}

// What was read for one review. None of them is `unread`.
using ReadClaims = std::map<OwnedClaim, webhook::read::Claimed>;

// Asked by any event loop.
class Claims {
 public:
  virtual ~Claims() = default;
  // Reads the claims of a Pod.
  //
  //   patient  whether to wait up to limits::api::claim_wait for claims that do not exist yet
  //   owner    the owner of the Pod
  virtual net::Task<ReadClaims> read(std::vector<OwnedClaim> claims, bool patient,
                                     std::string owner) = 0;
};

// For a server that reads none, which is never asked.
class NoClaims final : public Claims {
 public:
  net::Task<ReadClaims> read(std::vector<OwnedClaim> claims, bool /*patient*/,
                             std::string /*owner*/) override {
    ReadClaims out;
    for (OwnedClaim& each : claims) out[std::move(each)] = {};
    co_return out;
  }
};

// The cluster as it was, and what has been read since.
class WithClaims final : public webhook::read::ClusterView {
 public:
  WithClaims(const webhook::read::ClusterView& view, const ReadClaims& read)
      : view_(view), read_(read) {}

  webhook::read::Claimed claimed(const webhook::read::ClaimSource& source) const override {
    using Claimed = webhook::read::Claimed;
    const auto found = read_.find(OwnedClaim(source));
    if (found != read_.end()) return found->second;
    Claimed known = view_.claimed(source);
    // It was there when the others were asked for, and is no more: nobody asks a third time.
    if (known.known == Claimed::Known::unread)
      known = {.known = Claimed::Known::unreadable,
               .why = "a resource claim of the Pod was deleted meanwhile"};
    return known;
  }
  std::optional<std::string> ray_headless_service(std::string_view ns,
                                                  std::string_view cluster) const override {
    return view_.ray_headless_service(ns, cluster);
  }
  std::optional<std::string> leader_domain(const webhook::read::JobOfJobSet& job,
                                           std::string_view topology_key) const override {
    return view_.leader_domain(job, topology_key);
  }
  void unfit_pools(const webhook::read::PoolQuestion& question,
                   base::NameList& out) const override {
    view_.unfit_pools(question, out);
  }
  std::optional<webhook::read::RayGroup> ray_group(std::string_view ns, std::string_view cluster,
                                                   std::string_view group) const override {
    return view_.ray_group(ns, cluster, group);
  }

 private:
  const webhook::read::ClusterView& view_;
  const ReadClaims& read_;
};

}  // namespace tpuwh::server::kube::places
