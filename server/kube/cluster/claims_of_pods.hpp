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

// Runs on the client's executor. Pods that ask for the same claim at the same time share one
// question. If the claim does not exist, the question ends after limits::api::claim_wait, or as
// soon as the watch brings the claim. The question is asked again only while the watch is silent,
// and never in the turn of a first question. The claim that was read is not kept for later Pods,
// because the watch brings the claim, too.
class ClaimsOfPods {
 public:
  // All outlive it.
  ClaimsOfPods(client::Client& client, const store::Store& store, net::TaskGroup& tasks);

  // The version in which it asks. Before, none can be read.
  void set_version(std::string version) { version_ = std::move(version); }

  // Reads the claims of a Pod.
  //
  //   patient  whether to wait until all questions have ended, which needs a share of
  //            limits::api::waiting_pods for the namespace and the owner. Otherwise read() waits
  //            only until each question was asked once
  net::Task<places::ReadClaims> read(std::vector<places::OwnedClaim> claims, bool patient,
                                     std::string owner);

  const ClaimsStatus& status() const { return status_; }

 private:
  struct Question;
  using QuestionPtr = std::shared_ptr<Question>;

  QuestionPtr question(const places::OwnedClaim& claim, const base::FairQueue::Path& whose);
  net::Task<void> ask(QuestionPtr question);
  net::Task<void> ask_until_it_is_there(Question& question);
  // Reads the claim, and returns true if the claim does not exist. Any other result ends the
  // question.
  net::Task<bool> is_absent(Question& question);

  client::Client& client_;
  const store::Store& store_;
  net::TaskGroup& tasks_;
  store::ObjectReader reader_;
  std::string version_;
  std::map<places::OwnedClaim, QuestionPtr> asked_;
  // The Pods that wait patiently. The queue only counts these Pods and serves none of them. The
  // pointer is shared, because a suspended coroutine may outlive this object.
  std::shared_ptr<base::FairQueue> all_waiting_ = std::make_shared<base::FairQueue>();
  std::uint64_t pods_ = 0;
  ClaimsStatus status_;
};

}  // namespace tpuwh::server::kube::cluster
