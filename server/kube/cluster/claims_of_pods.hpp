// Reads claims and templates that the watches have not brought yet, for Pods that wait for them.
#pragma once

#include "server/kube/client/client.hpp"
#include "server/kube/places/claims.hpp"
#include "server/kube/store/objects.hpp"
#include "server/net/task_group.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tpuwh::server::kube::cluster {

// Objects of resource.k8s.io, in the version that the API server serves.
client::Resource claim_objects(std::string version);
client::Resource claim_template_objects(std::string version);

struct ClaimsStatus {
  std::uint64_t read = 0, absent = 0, failed = 0;  // by how the questions ended
};

// On the client's executor. All that ask for the same claim at a time share one question; what is
// read is kept for nobody else, since the watch brings it.
class ClaimsOfPods {
 public:
  // All outlive it.
  ClaimsOfPods(client::Client& client, net::TaskGroup& tasks, std::string prefix);

  // The version in which it asks. Before, none can be read.
  void set_version(std::string version) { version_ = std::move(version); }

  net::Task<places::ReadClaims> read(std::vector<places::OwnedClaim> claims);

  const ClaimsStatus& status() const { return status_; }

 private:
  struct Question;
  using QuestionPtr = std::shared_ptr<Question>;

  QuestionPtr question(const places::OwnedClaim& claim);
  net::Task<void> ask(QuestionPtr question);
  net::Task<webhook::read::Claimed> get(places::OwnedClaim claim);

  client::Client& client_;
  net::TaskGroup& tasks_;
  store::ObjectReader reader_;
  std::string version_;
  std::map<places::OwnedClaim, QuestionPtr> asked_;
  ClaimsStatus status_;
};

}  // namespace tpuwh::server::kube::cluster
