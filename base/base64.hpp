// Standard base64 with padding (RFC 4648 section 4), as AdmissionReview's patch.
#pragma once

#include "base/buffer.hpp"

#include <string_view>

namespace tpuwh::base {

// Blanks to a multiple of the 3 bytes that make four characters: what follows is encoded
// as it would be alone.
inline void pad_to_base64_group(Buffer& out) {
  while (out.size() % 3 != 0) out.append(' ');
}

// Appends the encoding of `bytes`, 4 characters for each 3 begun.
void append_base64(Buffer& out, std::string_view bytes);

}  // namespace tpuwh::base
