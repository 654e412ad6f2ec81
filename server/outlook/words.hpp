// Names of a cluster and of a manifest, as they may stand in a sentence.
#pragma once

#include "webhook/text/names.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::outlook {

// No legal name of Kubernetes is cut.
inline std::string plain(std::string_view name) {
  return webhook::text::printable(name, 253);
}

}  // namespace tpuwh::server::outlook
