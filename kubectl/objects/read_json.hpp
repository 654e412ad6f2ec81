// JSON that a person wrote or a command printed, or a sentence that says where it is none.
#pragma once

#include "base/result.hpp"
#include "kubectl/text/yaml.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace tpuwh::server::objects {

// The value of `text`.
//
//   cost    in proportion to the text
//   errors  json_fault()'s (json_text.hpp); bad_json for what it passes over (a number, a literal,
//           an escape that is none), with the line, counted from `first_line`; duplicate_key, with
//           the path
//   said    a sentence of the first key of which the last value holds; "" where there is none
Result<Json> read_json(std::string_view text, std::size_t first_line = 1,
                       text::Twice twice = text::Twice::last_holds, std::string* said = nullptr);

// Null for what is none.
Json parse_json(std::string_view text);

}  // namespace tpuwh::server::objects
