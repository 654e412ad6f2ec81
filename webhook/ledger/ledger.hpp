// Who gets which place, where nothing about a Pod tells it from the others of its group:
// Ray workers without KubeRay's index labels (docs/decisions/0012).
#pragma once

#include "topology/next_member.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::ledger {

// Views live as long as the review and the workspace do.
struct PlaceRequest {
  std::string_view ns = {}, cluster = {}, cluster_uid = {}, group = {};
  topology::GroupSize size = {};
  std::string_view review_uid = {};  // what a new token is made of
  std::string_view token = {};       // that the Pod arrived with; "" for none
  bool dry_run = false;              // the place is told and not given
};

struct PlaceAnswer {
  enum class Kind {
    given,
    refused,    // the Pod is left as it is, and `why` is its warning
    try_again,  // HTTP 503: another time or another replica can answer
  };
  Kind kind = Kind::refused;
  topology::Place place = {};
  std::string token = {};  // what the Pod is to carry
  std::string why = {};    // of all but `given`
  // Of try_again: a second try within the same request may succeed. The API server makes it,
  // until its time is over, and tells the user that alone; without it, `why`.
  bool retry_now = true;
  // Of try_again: the record was read and says so, such as that all places are taken.
  bool by_record = false;
};

PlaceAnswer given_place(topology::Place place, std::string token);
PlaceAnswer try_again(std::string why, bool retry_now = true);

// What a record says, that there is no place now: try again, later.
PlaceAnswer no_place(std::string why);

// "all 8 places of worker group g of RayCluster c are taken".
PlaceAnswer no_place_left(const topology::GroupSize& size, std::string_view group);

// "worker group g of RayCluster c", for messages.
std::string name_of_group(const PlaceRequest& request);

class Ledger {
 public:
  virtual ~Ledger() = default;
  virtual PlaceAnswer place(const PlaceRequest& request) = 0;
  // A member of the group that has its place already: by KubeRay's index labels, or given
  // before (request.token). A group whose size is not known has hosts_per_slice 0.
  virtual void note(const PlaceRequest& request, topology::Place place) = 0;
};

// There is none; every request is refused with `why`.
class NoLedger final : public Ledger {
 public:
  explicit NoLedger(std::string why) : why_(std::move(why)) {}
  PlaceAnswer place(const PlaceRequest&) override { return {.why = why_}; }
  void note(const PlaceRequest&, topology::Place) override {}

 private:
  std::string why_;
};

// In memory: for one process that sees every Pod of the cluster, since nothing here learns
// that a Pod is gone. Not synchronised.
class MemoryLedger final : public Ledger {
 public:
  // Members of all groups together; beyond, every request is told to try again.
  static constexpr std::size_t max_members = 1u << 17;

  PlaceAnswer place(const PlaceRequest& request) override;
  void note(const PlaceRequest& request, topology::Place place) override;

 private:
  struct Entry {
    topology::Place place;
    std::string token;  // "" for one that has none
  };
  struct Group {
    std::uint32_t hosts_per_slice = 0;
    std::vector<Entry> entries;
    bool has(topology::Place place) const;
  };
  // Of the names of a group together: those that were looked at have at most 63 characters, an
  // owner's uid 128.
  static constexpr std::size_t max_key_bytes = 512;

  const Group* find(const PlaceRequest& request);
  void add(const PlaceRequest& request, Entry entry);

  std::map<std::string, Group, std::less<>> groups_;
  std::string key_;  // of one of them, while it is looked for
  std::size_t members_ = 0;
};

}  // namespace tpuwh::webhook::ledger
