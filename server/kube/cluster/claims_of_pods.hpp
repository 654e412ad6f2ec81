// Reads claims and templates that the watches have not brought yet, for Pods that wait for them.
#pragma once

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

// On the client's executor. All that ask for the same claim at a time share one question, which is
// asked again for a while where the claim is not there; what is read is kept for nobody else, since
// the watch brings it.
class ClaimsOfPods {
 public:
  // All outlive it.
  ClaimsOfPods(client::Client& client, const store::Store& store, net::TaskGroup& tasks);

  // The version in which it asks. Before, none can be read.
  void set_version(std::string version) { version_ = std::move(version); }

  // patient  until the questions are over, where no more than limits::api::waiting_pods wait so;
  //          else until each was asked once
  net::Task<places::ReadClaims> read(std::vector<places::OwnedClaim> claims, bool patient);

  const ClaimsStatus& status() const { return status_; }

 private:
  struct Question;
  using QuestionPtr = std::shared_ptr<Question>;
  enum class Ended { read, absent, failed };
  struct Read {
    Ended ended;
    webhook::read::Claimed claimed;
  };

  QuestionPtr question(const places::OwnedClaim& claim);
  net::Task<void> ask(QuestionPtr question);
  net::Task<void> ask_until_it_is_there(Question& question);
  void count(Ended ended);
  net::Task<Read> get(places::OwnedClaim claim);

  client::Client& client_;
  const store::Store& store_;
  net::TaskGroup& tasks_;
  store::ObjectReader reader_;
  std::string version_;
  std::map<places::OwnedClaim, QuestionPtr> asked_;
  std::size_t waiting_ = 0;  // patiently
  ClaimsStatus status_;
};

}  // namespace tpuwh::server::kube::cluster
