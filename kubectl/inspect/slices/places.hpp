// Who holds a place of a slice.
#pragma once

#include "kubectl/inspect/slices/slice_report.hpp"

namespace tpuwh::server::slices {

// Those whose host is not known at the end.
void sort_by_host(std::vector<const SeenPod*>& pods);

// Deals the Pods of one slice that live out to its lists `members`, `staying` and `leaving`.
//
// A Pod that stays holds its place. One that is being deleted holds it as long as no other does:
// while a controller replaces Pods, that is neither a gap nor a Pod too many. Of those whose place
// is not known, as many hold one as the slice has left.
void deal_places(const std::vector<const SeenPod*>& living, SliceReport& slice);

}  // namespace tpuwh::server::slices
