// One state of each object, where an input has several: files that overlap, a watch, two dumps.
#pragma once

#include "kubectl/inspect/source/input.hpp"

#include <cstddef>
#include <vector>

namespace tpuwh::server::source {

// Leaves of each object its newest state, by its uid: that with the highest resourceVersion, of
// equal ones the last; none where a watch saw it go. The order stays.
//
//   by_name  of a cluster, where no two objects have one name: the newest stays, also of those
//            without uid
//   returns  how many other objects gave way to a newer one of their name
std::size_t keep_latest(std::vector<Input::Object>& objects, bool by_name);

}  // namespace tpuwh::server::source
