#include "server/text/read_json.hpp"

#include "server/text/json_builder.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::text {

Result<nlohmann::ordered_json> read_json(std::string_view text, std::size_t first_line) {
  if (auto fault = json_fault(text)) return *std::move(fault);
  JsonBuilder builder;
  if (nlohmann::ordered_json::sax_parse(text, &builder)) return builder.take();
  const auto before = text.substr(0, builder.position());
  const auto line = first_line + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  return Error(Errc::bad_json, fmt::format("line {}: not JSON at {}", line, builder.last_read()));
}

}  // namespace tpuwh::server::text
