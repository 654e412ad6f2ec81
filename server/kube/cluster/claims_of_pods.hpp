// Reads claims and templates that the watches have not brought yet, for Pods that wait for them.
#pragma once

#include "base/fair_queue.hpp"
#include "server/kube/client/client.hpp"
#include "server/kube/places/claims.hpp"
#include "server/kube/store/objects.hpp"
#include "server/kube/store/store.hpp"
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
client::Resource device_classes(std::string version);

struct ClaimsStatus {
  std::uint64_t read = 0, absent = 0, failed = 0;  // by how the questions ended
};

// On the client's executor. All that ask for the same claim at a time share one question. Where the
// claim is not there, the question ends a while later, or once the watch brings it; it is asked
// again only where the watch is silent, and never in the turn of a first question. What is read is
// kept for nobody else, since the watch brings it.
class ClaimsOfPods {
 public:
  // All outlive it.
  ClaimsOfPods(client::Client& client, const store::Store& store, net::TaskGroup& tasks);

  // The version in which it asks. Before, none can be read.
  void set_version(std::string version) { version_ = std::move(version); }

  // patient  until the questions are over, where the namespace and the owner have their share of
  //          limits::api::waiting_pods; else until each was asked once
  net::Task<places::ReadClaims> read(std::vector<places::OwnedClaim> claims, bool patient,
                                     std::string owner);

  const ClaimsStatus& status() const { return status_; }

 private:
  struct Question;
  using QuestionPtr = std::shared_ptr<Question>;

  QuestionPtr question(const places::OwnedClaim& claim, const base::FairQueue::Path& whose);
  net::Task<void> ask(QuestionPtr question);
  net::Task<void> ask_until_it_is_there(Question& question);
  // Reads the claim; true where there is none. Anything else is the end of the question.
  net::Task<bool> is_absent(Question& question);

  client::Client& client_;
  const store::Store& store_;
  net::TaskGroup& tasks_;
  store::ObjectReader reader_;
  std::string version_;
  std::map<places::OwnedClaim, QuestionPtr> asked_;
  // Pods that wait patiently, of which none is served. A frame that waits may outlive us.
  std::shared_ptr<base::FairQueue> all_waiting_ = std::make_shared<base::FairQueue>();
  std::uint64_t pods_ = 0;
  ClaimsStatus status_;
};

}  // namespace tpuwh::server::kube::cluster
