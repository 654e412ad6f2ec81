// An explanation whose texts can be shown at a terminal.
#pragma once

#include "server/explain/explanation.hpp"

namespace tpuwh::server::explain {

// Every text through text::visible(): names and values are a stranger's.
void make_visible(Explanation& explanation);

}  // namespace tpuwh::server::explain
