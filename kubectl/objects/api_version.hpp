// Of which API group an object is, and of which version of it.
#pragma once

#include <string_view>

namespace tpuwh::server::objects {

struct ApiVersion {
  std::string_view group, version;  // "batch" and "v1"; "" and "v1" of Kubernetes' own
};

// Views into "batch/v1", "v1".
inline ApiVersion split_api_version(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == text.npos) return {{}, text};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

}  // namespace tpuwh::server::objects
