// A byte buffer that is filled front to back and reused: appending is a capacity
// check and a copy, and clear() keeps the memory.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace tpuwh::webhook::text {

class Buffer {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {data_.get(), size_}; }
  // The part from `from` on.
  std::string_view view_from(std::size_t from) const { return view().substr(from); }

  void append(std::string_view text) {
    if (text.empty()) return;  // its data() may be null, which memcpy must not see
    reserve(text.size());
    std::memcpy(data_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }
  // A literal: its length is known without reading it.
  template <std::size_t N>
  void append(const char (&literal)[N]) {
    append(std::string_view(literal, N - 1));
  }
  void append(char c) {
    reserve(1);
    data_[size_++] = c;
  }
  void append(std::unsigned_integral auto number) {
    constexpr std::size_t longest = 20;  // 2^64-1
    reserve(longest);
    char* at = data_.get() + size_;
    size_ += static_cast<std::size_t>(std::to_chars(at, at + longest, number).ptr - at);
  }
  // Forgets all but the first bytes.
  void truncate(std::size_t size) { size_ = size; }
  // Several of the above in turn.
  template <class... Parts>
  void add(const Parts&... parts) {
    (append(parts), ...);
  }

  // Room for `more` bytes; grows to twice the need.
  void reserve(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
  }
  // Where the next bytes go; after writing n of them, call commit(n).
  char* tail() { return data_.get() + size_; }
  void commit(std::size_t written) { size_ += written; }

 private:
  void grow(std::size_t more) {
    const std::size_t capacity = 2 * (size_ + more) + 256;
    std::unique_ptr<char[]> bigger(new char[capacity]);
    if (size_ > 0) std::memcpy(bigger.get(), data_.get(), size_);
    data_ = std::move(bigger);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Digits of a number in decimal.
constexpr std::size_t decimal_digits(std::unsigned_integral auto number) {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

}  // namespace tpuwh::webhook::text
