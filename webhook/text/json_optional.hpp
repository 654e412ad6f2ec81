// Members that may also be null, which to the API server is the same as absent.
#pragma once

#include "webhook/text/json_reader.hpp"

#include <string_view>

namespace tpuwh::webhook::text {

inline bool optional_text(JsonReader& in, std::string_view& out) {
  return in.optional_string(out);
}

inline bool optional_flag(JsonReader& in, bool& out) {
  return in.take_null() || in.boolean(out);
}

}  // namespace tpuwh::webhook::text
