#include "server/text/read_json.hpp"

#include "base/result.hpp"
#include "server/text/json_builder.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::text {

Result<nlohmann::ordered_json> read_json(std::string_view text, std::size_t first_line, Twice twice,
                                         std::string* said) {
  if (auto fault = json_fault(text)) return *std::move(fault);
  JsonBuilder builder;
  if (nlohmann::ordered_json::sax_parse(text, &builder)) {
    if (twice == Twice::refused && builder.repeated()) return *builder.repeated();
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

}  // namespace tpuwh::server::text
