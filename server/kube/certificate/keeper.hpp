// Keeps the certificate of a server in a cluster: looks at the Secret and at our webhook
// configurations, does what Renewal says, and writes whom the API server must trust.
//
// Rights: get and update of one Secret and of our two configurations, by name. It creates
// nothing.
#pragma once

#include "server/kube/access/api_config.hpp"
#include "server/kube/certificate/contents.hpp"
#include "server/kube/certificate/renewal.hpp"
#include "server/kube/client/client.hpp"
#include "server/log/log.hpp"
#include "server/log/throttle.hpp"
#include "server/tls/context.hpp"

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace tpuwh::server::kube::certificate {

// How it is going; for metrics.
struct KeeperStatus {
  // By every entry of our configurations, and there is one, when looked at last. None is nobody who
  // calls: once that counted as trust.
  bool trusted = false;
  std::uint64_t failures = 0;  // looks that could not be finished
  std::uint64_t writes = 0;    // of the Secret and of configurations
};

class Keeper {
 public:
  // Called on the executor.
  struct Listener {
    std::function<void(const tls::ContextPtr& served)> serve;  // from now on
    std::function<void()> trusted;  // there are entries, and all trust it: for the first time
  };

  // `log` outlives it.
  Keeper(net::Executor executor, access::ApiConfig config, std::string secret, log::Log& log,
         Listener listener);

  // Looks again and again, until cancelled.
  net::Task<void> run();

  // On the executor.
  const KeeperStatus& status() const { return status_; }

 private:
  enum class Look { failed, at_rest, written, lost };
  struct Configuration;

  net::Task<Look> look();
  net::Task<Look> try_to_look();
  void judge(bool all_trust, std::size_t entries);
  net::Task<Result<std::vector<Configuration>>> read_configurations();
  net::Task<Result<SecretObject>> read();
  net::Task<Look> write(client::Resource resource, std::string name, std::string object);
  net::Clock::duration pause(Look look);
  bool serve(const tls::Pair& leaf);
  Look fail(const std::string& why);

  client::Client client_;
  const std::string ns_;
  const std::string secret_;
  log::Log& log_;
  const Listener listener_;
  Renewal renewal_;
  tls::Pair served_;
  KeeperStatus status_;
  bool was_trusted_ = false;
  bool nobody_calls_ = false;
  log::Throttle failures_said_;
  std::minstd_rand random_;
};

}  // namespace tpuwh::server::kube::certificate
