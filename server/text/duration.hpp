// Durations as Go writes them: the API server's ?timeout=10s, and our own flags.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace tpuwh::server::text {

// "10s", "1m30s", "250ms", "1.5h", "0". Milliseconds are the smallest unit that
// counts: "900us" is 0. Nothing for an empty or malformed text, a sign, a unit
// missing on anything but 0, or more than a day (no wait here is that long).
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace tpuwh::server::text
