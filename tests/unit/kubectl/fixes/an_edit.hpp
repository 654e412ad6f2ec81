// One edit.
#pragma once

#include "kubectl/fixes/fix.hpp"

namespace tpuwh::server::fixes {

inline Steps set(const char* path, Json value) {
  return {Edit{.path = Path(path), .value = std::move(value)}};
}

}  // namespace tpuwh::server::fixes
