// The options of `tpu-webhook serve`. The options that affect decisions are in
// webhook::config::Config.
#pragma once

#include "server/limits/limits.hpp"
#include "server/log/level.hpp"
#include "webhook/config/config.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tpuwh::server::settings {

// The kind of ledger that assigns ids to Ray workers without index labels
// (webhook/ledger/ledger.hpp). A ledger of kind `memory` or `none` never contacts an API server.
enum class LedgerKind {
  automatic,  // `cluster` if the server runs in a Pod, otherwise `memory`
  cluster,    // objects that all replicas share
  memory,     // of a single replica
  none,
};

// Returns whether this kind of ledger is kept in objects of the cluster if the server runs in a
// Pod.
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

  // The paths of the PEM files of the serving certificate and of its key. `serve` requires both
  // settings, but the files may be created after the start.
  std::string tls_cert;
  std::string tls_key;

  // `tls_client_ca` is the CA file that verifies callers, and `tls_client_names` are the names of
  // the allowed callers (server/tls/clients.hpp). Either both settings are given or neither. If
  // neither is given, all callers are allowed.
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

  // The directory with the token, the CA certificate and the namespace of the Pod's ServiceAccount.
  // "" means the directory where Kubernetes mounts these files.
  std::string service_account;

  webhook::config::Config webhook;
};

}  // namespace tpuwh::server::settings
