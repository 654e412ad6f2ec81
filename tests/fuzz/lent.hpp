// Bytes that are there for one call and then gone.
#pragma once

#include <cstddef>
#include <string_view>

namespace tpuwh::fuzz {

// A copy of `bytes` in pages of its own, its end at the end of a page behind which there is none.
// They are unmapped when this dies, and their addresses not used again for a long time: a view
// that outlives the call, or a read beyond the end, ends the program, with or without a sanitizer.
class Lent {
 public:
  // Throws std::bad_alloc.
  explicit Lent(std::string_view bytes);
  ~Lent();
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  char* pages_;
  std::size_t size_;  // of the pages
  std::string_view bytes_;
};

}  // namespace tpuwh::fuzz
