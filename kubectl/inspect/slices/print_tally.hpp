// Counts of slices and chips, for people and for programs. Field names: docs/operations.md.
#pragma once

#include "kubectl/inspect/slices/prices.hpp"
#include "kubectl/inspect/slices/tally.hpp"
#include "kubectl/text/printed.hpp"
#include "server/text/json.hpp"

#include <string>

namespace tpuwh::server::slices {

struct TallyPage {
  const Cluster& cluster;
  const Tally& tally;
  const std::string& label;  // the key that was counted by; "": the namespace
  const Prices* prices;      // null: no price is printed
};

// A row for each value and accelerator, then the totals; below what is not known, also which
// accelerators have no price.
text::Printed tally_text(const TallyPage& page, bool colour);
Json tally_json(const TallyPage& page);

}  // namespace tpuwh::server::slices
