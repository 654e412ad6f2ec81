// The section of a page about the Pods of one template.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/page_parts.hpp"

namespace tpuwh::server::explain {

// Slices, chips, hosts: its numbers side by side.
Markup numbers_html(const Group& group);

// Slices, variables, placement, with headings of that element.
Markup group_html(const Group& group, Literal heading, PageRoom& room);

// Chips and hosts; "" where no layout of the chips is known.
Markup picture_html(const Group& group);

// The commands that make its node pools; "" where the catalog does not know the shape.
Markup node_pools_html(const Group& group);

}  // namespace tpuwh::server::explain
