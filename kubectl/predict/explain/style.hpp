// How the page of html.hpp looks.
#pragma once

#include <string_view>

namespace tpuwh::server::explain {

// Light and dark, narrow and wide, on paper; what is said by colour is also said by a sign.
extern const std::string_view page_style;

// Of page_style, for the page's Content-Security-Policy: html_test.cpp computes it.
extern const std::string_view page_style_hash;  // "sha256-..."

}  // namespace tpuwh::server::explain
