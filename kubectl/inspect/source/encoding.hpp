// The bytes of a file as text, in whichever way a program saved it.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::source {

// What bytes are that are no text, and what to do about it: "it is packed by gzip; want ..."; ""
// for what may be text. By the first bytes, as file(1) knows them, and those of Kubernetes' own
// protobuf.
std::string packed_as(std::string_view bytes);

// In UTF-8 without a byte order mark. UTF-16 and UTF-32 (what PowerShell's > writes) are known by
// their mark or by the zeros of their first character; what has neither is taken for UTF-8.
//
//   errors  bad_value: packed_as(); bad_json: the text is no UTF-16 or UTF-32
Result<std::string> as_utf8(std::string bytes);

}  // namespace tpuwh::server::source
