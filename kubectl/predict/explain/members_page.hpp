// The section of a page that lists slices and their members.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/page_parts.hpp"

namespace tpuwh::server::explain {

// Each slice folded with its members; where there are more than the page has room for, a row for
// each slice with its Pods and worker ids in ranges.
Markup slices_html(const Group& group, PageRoom& room);

}  // namespace tpuwh::server::explain
