// What a decision rests on beside the review.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/read/claims.hpp"
#include "webhook/read/cluster.hpp"

namespace tpuwh::webhook::decide {

struct Around {
  const config::Config& config;
  const read::ClusterView& cluster;
  const ledger::PlaceAnswer* place = nullptr;  // what the ledger said, null before it was asked
  const read::TakenClaims* claims = nullptr;   // of the Pod; null where it has none
};

}  // namespace tpuwh::webhook::decide
