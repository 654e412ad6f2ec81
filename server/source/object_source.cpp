#include "server/source/object_source.hpp"

#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>

namespace tpuwh::server::source {

namespace {

using Json = nlohmann::ordered_json;

void tell_items(const Json& items, bool pods, const ObjectSource::Each& each) {
  for (const Json& item : items) {
    const std::string kind = text::text_member(item, "kind");
    if ((kind == "Pod") == pods) each(kind, item);
  }
}

}  // namespace

Result<void> SnapshotFile::for_each(const Each& each) {
  const auto text = text::read_file_or(in_, file_);
  if (!text)
    return Error(Errc::bad_value, fmt::format("cannot read {}: {}; create it with {}", file_,
                                              text.error().text(), made_with_));
  if (const auto fault = text::json_fault(*text))
    return Error(Errc::bad_json, fmt::format("{} is not JSON: {}; create it with {}", file_,
                                             fault->message(), made_with_));
  const Json root = text::parse_or_discard(*text);
  const Json* items = text::find_member(root, "items");
  const bool list = items != nullptr && items->is_array();
  if (!list && text::text_member(root, "kind").empty())
    return Error(
        Errc::wrong_type,
        fmt::format("{} is not a List of Kubernetes objects, but {}; create it with {}", file_,
                    root.is_object() ? "an object without kind" : root.type_name(), made_with_));
  if (!list) {
    each(text::text_member(root, "kind"), root);
    return {};
  }
  for (const bool pods : {false, true}) tell_items(*items, pods, each);
  return {};
}

}  // namespace tpuwh::server::source
