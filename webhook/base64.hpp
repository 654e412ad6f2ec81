// Standard base64 with padding (RFC 4648 section 4), as AdmissionReview's patch.
#pragma once

#include "webhook/buffer.hpp"

#include <string_view>

namespace tpuwh::webhook {

// Appends the encoding of `bytes`, 4 characters for each 3 begun.
void append_base64(Buffer& out, std::string_view bytes);

}  // namespace tpuwh::webhook
