// JSON values that stand one behind another in a text: a value alone, lines of values, and
// text::printed ones as `kubectl get -w -o json` and jq have them.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tpuwh::server::source {

struct JsonStream {
  std::vector<std::string_view> values;  // in `text`, each nested no deeper than 64 levels
  // Why the text is none behind them, and where: bytes from its beginning; its end for a text that
  // ends inside a value.
  struct Fault {
    std::size_t at;
    Error error;
  };
  std::optional<Fault> fault;
};

// Of `text` the 64 bytes behind its end can be read (webhook::read::Body).
//
//   errors  bad_json; too_deep. What the spelling of numbers and literals is, is not looked at:
//           objects::read_json() does.
//   cost    in proportion to the text
JsonStream json_stream(std::string_view text);

// A text's line and column at a byte of it, both from 1; the column counts bytes.
struct Spot {
  std::size_t line, column;
};
Spot spot_at(std::string_view text, std::size_t at);

}  // namespace tpuwh::server::source
