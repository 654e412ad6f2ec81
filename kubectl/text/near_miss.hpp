// What somebody who mistyped a name probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tpuwh::server::text {

// The candidate nearest to `found`, by at most a third of its letters, but always one. Case and
// the signs between words do not count ("drain_delay" is "drain.delay"). "" where none is near.
std::string closest(std::string_view found, std::span<const std::string> candidates);

// "; did you mean \"drain.delay\"?", or "" for "".
std::string did_you_mean(std::string_view name);

}  // namespace tpuwh::server::text
