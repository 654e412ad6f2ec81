// In which file's object, and where in it, a part of an object is written.
#pragma once

#include "kubectl/inspect/source/origin.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::wrappers {

struct Place {
  source::Written written;
  std::vector<std::string> also;  // other parts of the object that are written there
};

// `part` is a JSON pointer into the object. Nothing where a controller computes it or something in
// it, or nobody says.
std::optional<Place> where_written(const source::Origin& origin, const std::string& part);

// The same of a part of what made the object, seen through where that itself comes from.
source::Written through(const source::Written& written, const source::Origin& origin);

}  // namespace tpuwh::server::wrappers
