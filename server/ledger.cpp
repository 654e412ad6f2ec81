#include "server/ledger.hpp"

namespace tpuwh::server {

std::unique_ptr<webhook::Ledger> make_ledger(LedgerKind kind, bool in_cluster) {
  if (kind == LedgerKind::memory || (kind == LedgerKind::automatic && !in_cluster))
    return std::make_unique<SharedLedger>();
  return std::make_unique<webhook::NoLedger>(
      "label ray.io/worker-group-replica-index is missing or empty, and this server gives no ids "
      "of its own; switch on KubeRay's feature gate RayMultiHostIndexing, or run one replica "
      "with --ledger memory");
}

}  // namespace tpuwh::server
