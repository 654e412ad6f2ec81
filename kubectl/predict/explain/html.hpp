// What was explained as one page for a browser: the verdict, then everything behind it.
//
// The page is whole by itself: it loads nothing, runs no script, and its Content-Security-Policy
// lets nothing else happen. Every text of a manifest or a cluster is escaped (markup.hpp). It is
// read without colour, on paper, and between 400 and 1,400 pixels.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"

#include <string>

namespace tpuwh::server::explain {

//   all   every member is listed; else, of more than 300 on the page, slices are told by ranges, so
//         that 10,000 Pods stay below a megabyte
//   cost  some milliseconds
std::string html(const Explanation& explanation, bool all = false);

}  // namespace tpuwh::server::explain
