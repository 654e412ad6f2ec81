// Keeps the certificate of the server in a cluster valid. The keeper regularly reads the Secret and
// the webhook configurations of tpu-webhook, takes the step that the class Renewal (renewal.hpp)
// decides, and sets the caBundle of every webhook to the CAs that the API server must trust.
//
// The keeper needs the RBAC verbs get and update, for one Secret and the two configurations, each
// by name. The keeper creates no object.
#pragma once

#include "kubectl/certificate/contents.hpp"
#include "kubectl/certificate/renewal.hpp"
#include "server/kube/access/api_config.hpp"
#include "server/kube/client/client.hpp"
#include "server/log/log.hpp"
#include "server/log/throttle.hpp"

#include <random>
#include <string>
#include <vector>

namespace tpuwh::server::certificate {

class Keeper {
 public:
  // `log` outlives it.
  Keeper(net::Executor executor, kube::access::ApiConfig config, std::string secret, log::Log& log);

  // Looks again and again, until cancelled.
  net::Task<void> run();

 private:
  enum class Look { failed, at_rest, written, lost };
  struct Configuration;

  net::Task<Look> look();
  net::Task<Look> try_to_look();
  void judge(bool all_trust, std::size_t entries);
  net::Task<Result<std::vector<Configuration>>> read_configurations();
  net::Task<Result<SecretObject>> read();
  net::Task<Look> write(kube::client::Resource resource, std::string name, std::string object);
  net::Clock::duration pause(Look look);
  Look fail(const std::string& why);
  void warn(const std::string& trouble);

  kube::client::Client client_;
  const std::string ns_;
  const std::string secret_;
  log::Log& log_;
  Renewal renewal_;
  bool trusted_ = false;  // true: at the last look(), every caBundle had the certificate's CA
  bool no_entries_ = false;
  log::Throttle failures_said_;
  std::minstd_rand random_;
};

}  // namespace tpuwh::server::certificate
