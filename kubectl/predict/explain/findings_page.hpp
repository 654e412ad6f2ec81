// The sections of a page that say what is wrong and what it waits for.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/page_parts.hpp"

namespace tpuwh::server::explain {

// Denials first. "" where there are none.
Markup findings_html(const std::vector<Finding>& findings);

Markup outlook_html(const outlook::WorkloadOutlook& outlook);

}  // namespace tpuwh::server::explain
