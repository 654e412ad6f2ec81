// Parts of an object's JSON that may be of another type than they should: these are passed over.
#pragma once

#include "base/json/reader.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::kube::store {

inline bool read_text(base::json::Reader& in, std::string& out) {
  std::string_view text;
  if (in.kind() != base::json::ValueKind::string) return in.skip();
  if (!in.string(text)) return false;
  out = text;
  return true;
}

template <class F>
bool read_object(base::json::Reader& in, F&& member) {
  return in.kind() == base::json::ValueKind::object ? in.object(member) : in.skip();
}

template <class F>
bool read_array(base::json::Reader& in, F&& element) {
  return in.kind() == base::json::ValueKind::array ? in.array(element) : in.skip();
}

}  // namespace tpuwh::server::kube::store
