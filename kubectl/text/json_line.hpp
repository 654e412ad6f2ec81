// A JSON value as a command prints it.
#pragma once

#include "kubectl/text/printed.hpp"
#include "server/text/json.hpp"

namespace tpuwh::server::text {

// On a line, or indented on several where it is a `page`. What cannot be seen (visible.hpp) is an
// escape of JSON, so that every value is what it was.
Printed json_line(const Json& value, bool page = false);

}  // namespace tpuwh::server::text
