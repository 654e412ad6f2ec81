// JSON that leaves: answers and patches.
//
// Raw stand in it literals of the source and numbers. Whatever else is somebody's text: it goes
// through as_string() or in_string(), which escape it. A std::string or a std::string_view by
// itself does not compile, nor an array that is filled while the program runs, so that nobody has
// to know what a label, an owner's kind or a pool's name can hold.
//
//   json << "{\"name\":" << as_string(name) << ",\"count\":" << count << "}";
//
// It also counts what it should hold of the characters that make JSON's structure out of text
// (quotes, backslashes, control characters); is_sound() counts what is there. Text that got in past
// the types, by a fault of ours, shows in the difference.
#pragma once

#include "base/base64.hpp"
#include "base/buffer.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tpuwh::webhook::write {

// Quotes, backslashes and control characters: what no part of a string holds unescaped.
constexpr bool is_special(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}
constexpr std::uint32_t count_special_bytewise(std::string_view text) {
  std::uint32_t count = 0;
  for (const char c : text) count += is_special(c) ? 1 : 0;
  return count;
}
std::size_t count_special(std::string_view text);

// A piece of JSON that stands in the source. Made while compiling or not at all.
class JsonLiteral {
 public:
  template <std::size_t N>
  consteval JsonLiteral(const char (&text)[N])  // NOLINT: "…" is one
      : text_(text, N - 1), special_(count_special_bytewise(text_)) {}
  consteval JsonLiteral() = default;

  constexpr std::string_view text() const { return text_; }
  constexpr std::uint32_t special() const { return special_; }

 private:
  std::string_view text_;
  std::uint32_t special_ = 0;
};

// `text` as a JSON string, quotes included.
struct AsString {
  std::string_view text;
};
inline AsString as_string(std::string_view text) {
  return {text};
}

// `text` as a part of a JSON string, whose quotes literals write.
struct InString {
  std::string_view text;
};
inline InString in_string(std::string_view text) {
  return {text};
}

class Json {
 public:
  void clear() {
    out_.clear();
    special_ = 0;
  }
  std::size_t size() const { return out_.size(); }
  bool empty() const { return out_.empty(); }
  std::string_view view() const { return out_.view(); }
  void reserve(std::size_t more) { out_.reserve(more); }

  Json& operator<<(JsonLiteral literal) {
    out_.append(literal.text());
    special_ += literal.special();
    return *this;
  }
  template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) Json& operator<<(
      Number number) {
    out_.append(number);
    return *this;
  }
  Json& operator<<(AsString text);
  Json& operator<<(InString text);
  // What another one holds, but for its first characters; those are not special.
  void append(const Json& other, std::size_t without = 0) {
    out_.append(other.view().substr(without));
    special_ += other.special_;
  }
  // Base64 of these bytes.
  void append_base64(std::string_view bytes) { base::append_base64(out_, bytes); }
  // Blanks, which mean nothing between values.
  void pad_to_base64_group() { base::pad_to_base64_group(out_); }

  // How far it is, to come back to it.
  struct Mark {
    std::size_t size = 0;
    std::size_t special = 0;
  };
  Mark mark() const { return {out_.size(), special_}; }
  void go_back(Mark mark) {
    out_.truncate(mark.size);
    special_ = mark.special;
  }

  // What stands between two marks, to write it once more. It stays where it is until go_back().
  struct Part {
    Mark begin, end;
    bool empty() const { return begin.size == end.size; }
  };
  Part since(Mark begin) const { return {begin, mark()}; }
  void append_again(Part part) {
    out_.append_again(part.begin.size, part.end.size - part.begin.size);
    special_ += part.end.special - part.begin.special;
  }

  // Whether what is there is what was meant to be there.
  bool is_sound() const { return special_ == count_special(view()); }
  // Special characters of all that was written.
  std::size_t special() const { return special_; }

 private:
  friend class Patch;  // whose heads and parts in base64 are made elsewhere, and counted
  template <class... Parts>
  void append_raw(std::size_t special, const Parts&... parts) {
    out_.add(parts...);
    special_ += special;
  }
  [[gnu::noinline]] void append_escaped(std::string_view text);  // rare, and large

  base::Buffer out_;
  std::size_t special_ = 0;
};

}  // namespace tpuwh::webhook::write
