// Header fields that go on in the next line (obs-fold, RFC 9112 5.2).
#pragma once

#include <string_view>

namespace tpuwh::server::https {

// Whether a line of `lines` begins with a blank: it continues the field above it. Beast joins the
// two; others do not, so the value means two things. What stands before the first line feed is
// the rest of a line, and what stands behind the last one need not be a whole line, or there.
// Each step takes a line away: there is no position that could go astray.
inline bool has_folded_line(std::string_view lines) {
  for (auto end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n')) {
    lines.remove_prefix(end + 1);
    if (lines.starts_with(' ') || lines.starts_with('\t')) return true;
  }
  return false;
}

}  // namespace tpuwh::server::https
