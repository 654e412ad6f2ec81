// The program's version, as the build system knows it.
#pragma once

#include <string_view>

namespace tpuwh::server::text {

inline constexpr std::string_view version = TPUWH_VERSION;

}  // namespace tpuwh::server::text
