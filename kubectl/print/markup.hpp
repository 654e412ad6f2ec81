// HTML that nobody else's text can break: a Markup is made of our own literals, of other Markups,
// and of text that was escaped on the way in. A std::string does not turn into one by itself.
#pragma once

#include "kubectl/text/literal.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::server::print {

using text::Literal;

class Markup {
 public:
  Markup() = default;
  template <std::size_t n>
  Markup(const char (&literal)[n]) : text_(literal, n - 1) {}  // NOLINT: meant to convert

  Markup& operator+=(const Markup& more) {
    text_ += more.text_;
    return *this;
  }
  friend Markup operator+(Markup left, const Markup& right) { return std::move(left += right); }

  bool empty() const { return text_.empty(); }
  const std::string& text() const& { return text_; }
  std::string text() && { return std::move(text_); }

  // What was put together of markup.
  static Markup trusted(std::string text);

 private:
  std::string text_;
};

// `text` as it may stand between tags, in a quoted attribute and in XML. What is no UTF-8 becomes
// U+FFFD; what a reader could not see or be misled by (controls, marks of writing direction, blanks
// without a width) is spelled: \n, \u202e.
Markup escaped(std::string_view text);
// The same, and line ends stay: for <pre>.
Markup escaped_lines(std::string_view text);
Markup number(std::uint64_t number);  // "10,000"

// <name attributes>content</name>.
Markup element(Literal name, const Markup& attributes, const Markup& content);
Markup element(Literal name, const Markup& content);
// ' name="value"', the value escaped.
Markup attribute(Literal name, std::string_view value);

}  // namespace tpuwh::server::print
