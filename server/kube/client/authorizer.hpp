// Who we are, asked for without holding up the loop: a plugin of the kubeconfig may take a minute,
// and health, metrics and the ledger live on the client's thread.
#pragma once

#include "server/kube/access/credentials.hpp"
#include "server/net/asio.hpp"

#include <memory>
#include <string>
#include <thread>

namespace tpuwh::server::kube::client {

// One client's, used on its thread. Slow credentials are asked on a thread of their own; whoever
// wants them meanwhile waits for the same answer, and nobody else touches them.
class Authorizer {
 public:
  // `credentials` may be null: nobody.
  Authorizer(net::Executor executor, std::shared_ptr<access::Credentials> credentials);
  Authorizer(const Authorizer&) = delete;
  Authorizer& operator=(const Authorizer&) = delete;
  // Ends a plugin that runs.
  ~Authorizer();

  // Credentials::authorization, within `until`. What is asked for goes on after a caller that
  // gave up, and the next one finds it.
  net::Task<Result<std::string>> authorization(net::TimePoint until);

  // That came with it last; empty for none.
  const access::ClientCertificate& certificate() const { return certificate_; }

  // The API server answered 401.
  void rejected();

 private:
  struct Asking;

  Result<std::string> ask_now(net::TimePoint now);
  void ask_aside(net::TimePoint now);
  void settle();

  net::Executor executor_;
  const std::shared_ptr<access::Credentials> credentials_;
  access::ClientCertificate certificate_;
  std::shared_ptr<Asking> asking_;  // null: the credentials are ours
  std::jthread thread_;
};

}  // namespace tpuwh::server::kube::client
