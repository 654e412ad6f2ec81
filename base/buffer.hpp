// A byte buffer that is filled front to back and reused: appending is a capacity
// check and a copy, and clear() keeps the memory.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace tpuwh::base {

// A text behind which as many bytes may be read as make its length a multiple of 16: it is copied
// in steps, which for the short texts of a table is less than looking at how short they are.
struct PaddedText {
  static constexpr std::size_t step = 16;
  std::string_view text;

  constexpr bool empty() const { return text.empty(); }
};

class Buffer {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {data_.get(), size_}; }

  void append(std::string_view text) { add(text); }
  // A literal: its length is known without reading it.
  template <std::size_t N>
  void append(const char (&literal)[N]) {
    add(literal);
  }
  void append(char c) { add(c); }
  void append(std::unsigned_integral auto number) { add(number); }
  // Forgets all but the first bytes.
  void truncate(std::size_t size) { size_ = size; }
  // Several of the above in turn, with one look at the capacity.
  template <class... Parts>
  void add(const Parts&... parts) {
    reserve((most_bytes(parts) + ... + 0));
    char* to = tail();
    ((to = put(to, parts)), ...);
    size_ = static_cast<std::size_t>(to - data_.get());
  }

  // `count` bytes of its own, from `from` on.
  void append_again(std::size_t from, std::size_t count) {
    reserve(count);
    std::memcpy(tail(), data_.get() + from, count);
    size_ += count;
  }

  // Room for `more` bytes; grows to twice the need.
  void reserve(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
  }
  // Where the next bytes go; after writing n of them, call commit(n).
  char* tail() { return data_.get() + size_; }
  void commit(std::size_t written) { size_ += written; }

 private:
  static std::size_t most_bytes(std::string_view text) { return text.size(); }
  static std::size_t most_bytes(PaddedText padded) { return padded.text.size() + PaddedText::step; }
  template <std::size_t N>
  static constexpr std::size_t most_bytes(const char (&)[N]) {
    return N - 1;
  }
  static constexpr std::size_t most_bytes(char) { return 1; }
  static constexpr std::size_t most_bytes(std::unsigned_integral auto) {
    return 20;  // 2^64-1
  }
  // Each returns the end of what it wrote.
  static char* put(char* to, std::string_view text) {
    const std::size_t size = text.size();
    if (size >= 4 && size <= 32)
      size < 8     ? copy_ends<4>(to, text)
      : size <= 16 ? copy_ends<8>(to, text)
                   : copy_ends<16>(to, text);
    else if (size > 0)  // else its data() may be null, which memcpy must not see
      std::memcpy(to, text.data(), size);
    return to + size;
  }
  static char* put(char* to, PaddedText padded) {
    const char* from = padded.text.data();
    for (std::size_t done = 0; done < padded.text.size(); done += PaddedText::step)
      std::memcpy(to + done, from + done, PaddedText::step);
    return to + padded.text.size();
  }
  // Copies `text`, whose size is `word` to 2 * `word` bytes, as two words that may overlap. For
  // short texts, such as most names and pieces of JSON, this is faster than a call of memcpy().
  template <std::size_t word>
  static void copy_ends(char* to, std::string_view text) {
    const std::size_t last = text.size() - word;
    std::memcpy(to, text.data(), word);
    std::memcpy(to + last, text.data() + last, word);
  }
  template <std::size_t N>
  static char* put(char* to, const char (&literal)[N]) {
    if constexpr (N > 1) std::memcpy(to, literal, N - 1);  // before the first byte `to` is null
    return to + (N - 1);
  }
  static char* put(char* to, char c) {
    *to = c;
    return to + 1;
  }
  static char* put(char* to, std::unsigned_integral auto number) {
    if (number < 10) return put(to, static_cast<char>('0' + number));
    return std::to_chars(to, to + most_bytes(number), number).ptr;
  }

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

}  // namespace tpuwh::base
