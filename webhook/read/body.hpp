// The bytes of a review as the reader wants them: how many at most, and padding behind them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tpuwh::webhook::read {

// Bytes that must be readable (any content) past the end of a review: the reader
// looks at 64 bytes at a time.
inline constexpr std::size_t padding = 64;

// The largest review: two objects of at most 3 MiB (an UPDATE carries the old one
// beside the new; 3 MiB is the API server's own limit for a request body) and
// 1 MiB for the rest (docs/facts.md#review-size).
inline constexpr std::size_t max_review_bytes = 7u << 20;

// Review bytes with readable padding behind them.
class Body {
 public:
  // Reserves the padding in `text` (which may move its bytes) and views it;
  // `text` must outlive the view and stay unchanged.
  explicit Body(std::string& text) {
    text.reserve(text.size() + padding);
    bytes_ = text;
  }
  // Of memory where the padding is there already.
  static Body padded(std::string_view bytes) { return Body(bytes, {}); }
  std::string_view bytes() const { return bytes_; }

 private:
  struct IsPadded {};
  Body(std::string_view bytes, IsPadded) : bytes_(bytes) {}

  std::string_view bytes_;
};

}  // namespace tpuwh::webhook::read
