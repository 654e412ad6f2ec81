// Standard base64 (RFC 4648 section 4) of short texts: "-data" fields, Basic credentials.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::text {

std::string encode_base64(std::string_view bytes);

// Line ends are skipped, as Go's decoder does. Nothing for what is not base64: another
// character, a wrong length, padding that is missing or inside.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace tpuwh::server::text
