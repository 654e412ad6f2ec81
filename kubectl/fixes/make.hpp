// The fix of a finding: what was proposed, where exactly one way holds when it is tried; else a
// choice.
#pragma once

#include "kubectl/fixes/propose.hpp"

#include <functional>
#include <set>
#include <string>

namespace tpuwh::server::fixes {

// What is said of an object.
struct Said {
  int verdict = 0;                 // larger is worse
  std::set<std::string> ids = {};  // of what is found
};

// What would be said once these steps are done. Nothing where it is not known.
using Trial = std::function<std::optional<Said>(const Steps& steps)>;

// A way holds where what was found is gone, nothing else is found and the verdict is no worse.
// Where none does, one that shows another thing to mend is one as well, if it is the only one.
//
//   before    what is said of the object as it is
//   sentence  of the choice
Fix make_fix(const Tiers& ways, const std::string& id, const Said& before, const Trial& trial,
             std::string sentence);

}  // namespace tpuwh::server::fixes
