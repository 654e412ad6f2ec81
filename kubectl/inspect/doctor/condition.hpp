// What can be said of an expression of CEL without evaluating it.
#pragma once

#include <string_view>

namespace tpuwh::server::doctor {

// Whether it is false whatever the object is: `false`, `!true`, or one of these behind or before
// an &&. Of most that are never true this says nothing.
bool is_never_true(std::string_view expression);

}  // namespace tpuwh::server::doctor
