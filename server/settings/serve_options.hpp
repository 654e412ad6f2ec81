// The options of the server. Those of a decision are webhook::config::Config.
#pragma once

#include "server/limits/limits.hpp"
#include "server/log/level.hpp"
#include "webhook/config/config.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tpuwh::server::settings {

// The source of ids of Ray workers without index labels (webhook/ledger/ledger.hpp). `memory`
// and `none` never contact an API server.
enum class LedgerKind {
  automatic,  // cluster in a Pod, else memory
  cluster,    // objects that all replicas share
  memory,     // of a single replica
  none,
};

// Returns whether a ledger of this kind is kept in the cluster, if there is a cluster.
constexpr bool uses_cluster(LedgerKind kind) {
  return kind != LedgerKind::memory && kind != LedgerKind::none;
}

// `tpu-webhook serve`. An empty string is "not given".
struct ServeOptions {
  // "ADDR:PORT"; without an address, all of them. Port 0 takes a free one.
  std::string listen = ":8443";
  std::string health_listen;
  // Metrics by themselves, for who may read them. Beside the probes they are served as well, unless
  // health_metrics is false.
  std::string metrics_listen;
  bool health_metrics = true;

  // The certificate and its key, PEM; `serve` requires both. The files may appear later.
  std::string tls_cert;
  std::string tls_key;

  // The allowed callers (server/tls/clients.hpp): both or neither. Without them, all callers.
  std::string tls_client_ca;
  std::vector<std::string> tls_client_names;

  unsigned threads = limits::threads;

  log::LogFormat log_format = log::LogFormat::text;
  log::LogLevel log_level = log::LogLevel::info;

  // SIGTERM: not ready, but serving, for drain_delay (the cluster needs that long
  // to stop sending); then no new connections, and drain_timeout for the rest.
  // Together below Kubernetes' terminationGracePeriodSeconds of 30.
  std::chrono::milliseconds drain_delay = std::chrono::seconds(5);
  std::chrono::milliseconds drain_timeout = std::chrono::seconds(20);

  LedgerKind ledger = LedgerKind::automatic;

  // Folder of the Pod's token, CA and namespace; "" for the one that Kubernetes mounts.
  std::string service_account;

  webhook::config::Config webhook;
};

}  // namespace tpuwh::server::settings
