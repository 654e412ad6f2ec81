// Slices and findings for people and for programs. Field names: docs/operations.md.
#pragma once

#include "kubectl/inspect/slices/finding.hpp"
#include "kubectl/text/printed.hpp"
#include "server/text/json.hpp"

#include <vector>

namespace tpuwh::server::slices {

// A row for each slice, and below what is not known.
text::Printed slices_text(const Cluster& cluster, const std::vector<SliceReport>& slices,
                          bool colour);
Json slices_json(const Cluster& cluster, const std::vector<SliceReport>& slices);

// A paragraph for each finding, and a line that counts them. `slices` are those looked at.
text::Printed audit_text(const Audit& audit, const std::vector<SliceReport>& slices, bool colour);
Json audit_json(const Audit& audit, const std::vector<SliceReport>& slices);

}  // namespace tpuwh::server::slices
