// Members that may also be null, which to the API server is the same as absent.
#pragma once

#include "base/json/reader.hpp"

#include <string_view>

namespace tpuwh::base::json {

inline bool optional_text(Reader& in, std::string_view& out) {
  return in.optional_string(out);
}

inline bool optional_flag(Reader& in, bool& out) {
  return in.take_null() || in.boolean(out);
}

}  // namespace tpuwh::base::json
