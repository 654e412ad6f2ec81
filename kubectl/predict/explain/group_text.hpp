// One group of an explanation as text: slices, variables, placement, picture, node pools.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/text_lines.hpp"

namespace tpuwh::server::explain {

struct GroupParts {
  bool titled = false;  // there are others beside it
  bool pools = true;    // those to make; a cluster that was asked has them, or lacks them by name
};
void print_group(const Group& group, GroupParts parts, TextLines& out);

}  // namespace tpuwh::server::explain
