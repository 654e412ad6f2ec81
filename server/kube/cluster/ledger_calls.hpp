// What a group of the ledger asks of the API server, one call at a time: its record, and the Pods
// that are there.
#pragma once

#include "server/kube/client/client.hpp"
#include "server/kube/store/objects.hpp"
#include "webhook/ledger/group_ledger.hpp"

#include <string>

namespace tpuwh::server::kube::cluster {

class LedgerCalls {
 public:
  using Call = webhook::ledger::GroupLedger::Call;
  using Outcome = webhook::ledger::GroupLedger::Outcome;

  // `client` outlives it. `prefix`: Config::prefix; `ns`: where the ledger's objects are.
  LedgerCalls(client::Client& client, std::string prefix, std::string ns);

  // On the client's executor; spends a turn of `purpose`. Never throws for what the server does.
  net::Task<Outcome> perform(const store::GroupName& name, const Call& call,
                             client::Purpose purpose);

 private:
  net::Task<Outcome> send(const store::GroupName& name, client::Request request);
  net::Task<Outcome> list_pods(const store::GroupName& name, client::Purpose purpose);

  client::Client& client_;
  const std::string prefix_;
  const std::string ns_;
};

}  // namespace tpuwh::server::kube::cluster
