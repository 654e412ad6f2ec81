#include "webhook/pools/node.hpp"

namespace tpuwh::webhook::pools {

void Labels::add(std::string_view key, std::string_view value) {
  // One with a NUL would be read as two; the API server lets none through.
  if (key.find('\0') != key.npos || value.find('\0') != value.npos) return;
  text_.append(key).push_back('\0');
  text_.append(value).push_back('\0');
}

std::optional<std::string_view> Labels::find(std::string_view key) const {
  std::string_view rest = text_;
  const auto take = [&rest] {
    const std::string_view part = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(part.size() + 1);
    return part;
  };
  while (!rest.empty()) {
    const std::string_view name = take(), value = take();
    if (name == key) return value;
  }
  return std::nullopt;
}

}  // namespace tpuwh::webhook::pools
