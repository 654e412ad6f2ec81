// A text that stands in a source file; the compiler sees to that.
#pragma once

#include <string_view>

namespace tpuwh::server::text {

class Literal {
 public:
  consteval Literal(const char* text) : text_(text) {}  // NOLINT: meant to convert
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace tpuwh::server::text
