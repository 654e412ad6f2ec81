// An explanation for people at a terminal.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/text/printed.hpp"

namespace tpuwh::server::explain {

struct TextStyle {
  bool colour = false;
  bool all = false;  // every slice, member, variable and command; else a screen
};

// First the verdict, a line; then, unless there are many objects, slices, variables, placement,
// picture, node pools and findings.
text::Printed text(const Explanation& explanation, TextStyle style);

}  // namespace tpuwh::server::explain
