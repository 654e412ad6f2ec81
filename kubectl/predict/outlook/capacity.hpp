// How Pods select the capacity that their nodes come from, as the flags of `catalog` say it.
#pragma once

#include "kubectl/reference/catalog/pool_options.hpp"
#include "webhook/read/vocabulary.hpp"

namespace tpuwh::server::outlook {

// `selected(key)` is the value that a Pod selects of a node label, "" for none
// (docs/facts.md#capacity-labels). A reservation that is none (is_reservation) is left out.
template <class Selected>
catalog::PoolOptions capacity_of(Selected&& selected) {
  namespace key = webhook::read::key;
  catalog::PoolOptions options;
  const auto way = selected(key::provisioning);
  options.spot = selected(key::spot) == "true" || way == "spot";
  options.flex_start = selected(key::flex_start) == "true" || way == "flex-start";
  const auto reservation = selected(key::reservation);
  if (catalog::is_reservation(reservation)) options.reservation = reservation;
  return options;
}

}  // namespace tpuwh::server::outlook
