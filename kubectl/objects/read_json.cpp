#include "kubectl/objects/read_json.hpp"

#include "base/result.hpp"
#include "server/text/json_builder.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::objects {

Result<Json> read_json(std::string_view text, std::size_t first_line, text::Twice twice,
                       std::string* said) {
  if (auto fault = text::json_fault(text)) return *std::move(fault);
  text::JsonBuilder builder;
  if (Json::sax_parse(text, &builder)) {
    if (twice == text::Twice::refused && builder.repeated()) return *builder.repeated();
    if (said != nullptr && builder.repeated())
      *said = fmt::format("duplicate key {}; the last one holds, as kubectl reads it",
                          builder.repeated()->path());
    return builder.take();
  }
  const auto before = text.substr(0, builder.position());
  const auto line = first_line + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const auto column = before.size() - (before.rfind('\n') + 1);  // npos + 1 is 0
  return Error(base::Errc::bad_json, fmt::format("line {}, column {}: not JSON", line, column));
}

Json parse_json(std::string_view text) {
  auto value = read_json(text);
  return value ? *std::move(value) : Json();
}

}  // namespace tpuwh::server::objects
