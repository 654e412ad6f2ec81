// Moments as Kubernetes writes them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace tpuwh::server::text {

// RFC 3339, "2026-11-20T10:00:00.5+01:00"; parts of a second are cut off. Nothing for any other
// text. A moment before 1677 or after 2262 is the first or last that the clock can say.
std::optional<std::chrono::system_clock::time_point> parse_time(std::string_view text);

}  // namespace tpuwh::server::text
