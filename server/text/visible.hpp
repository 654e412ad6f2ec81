// Text of strangers where a person reads it.
#pragma once

#include <string>
#include <string_view>

namespace tpuwh::server::text {

// `text` without what is no UTF-8, which becomes U+FFFD, and with what a reader could not see or be
// misled by spelled: controls (also those of a terminal), marks of writing direction, blanks
// without a width are \n, \u001b, \u202e.
//
//   keep_lines  line ends stay
std::string visible(std::string_view text, bool keep_lines = false);

// JSON that says the same, with the same characters as \u escapes: outside its strings JSON has
// none of them but line ends, which stay.
std::string visible_json(std::string json);

}  // namespace tpuwh::server::text
