// The values of a choice, each with its name.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::settings {

template <class T>
using Names = std::vector<std::pair<std::string_view, T>>;

}  // namespace tpuwh::server::settings
