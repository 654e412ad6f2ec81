// Text for a terminal that nobody else's text can break: a Printed is made of our own literals, of
// numbers, of other Printed, and of text of others that is escaped on the way in (visible.hpp), so
// that no name, kind or annotation moves the cursor, begins a line or turns its direction round. A
// std::string does not turn into one by itself.
#pragma once

#include "kubectl/text/ink.hpp"
#include "kubectl/text/literal.hpp"
#include "server/text/visible.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tpuwh::server::text {

class Printed {
 public:
  Printed() = default;
  Printed(Literal text) : text_(text.text()) {}  // NOLINT: meant to convert

  Printed& operator+=(const Printed& more) {
    text_ += more.text_;
    return *this;
  }
  Printed& operator+=(Literal more) {
    text_ += more.text();
    return *this;
  }
  friend Printed operator+(Printed left, const Printed& right) { return std::move(left += right); }

  bool empty() const { return text_.empty(); }
  const std::string& text() const& { return text_; }
  std::string text() && { return std::move(text_); }

  // What was escaped for another place that is stricter: a page of HTML, a picture, JSON, a table
  // of our own words.
  static Printed trusted(std::string text) {
    Printed out;
    out.text_ = std::move(text);
    return out;
  }

 private:
  std::string text_;
};

// What fmt gets for an argument of printed(): numbers as they are, text of others escaped.
template <class T>
auto shown(const T& value) {
  if constexpr (std::is_same_v<T, Printed>)
    return std::string_view(value.text());
  else if constexpr (std::is_same_v<T, char>)
    return visible(std::string_view(&value, 1));
  else if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return visible(value);
  else {
    static_assert(std::is_arithmetic_v<T>, "expected a number, text, or what is Printed already");
    return value;
  }
}

// A format that is a literal, checked by the compiler against what is put in.
template <class... Args>
class Sentence {
 public:
  template <std::size_t size>
  consteval Sentence(const char (&text)[size]) : format_(text) {}  // NOLINT: meant to convert
  fmt::string_view format() const { return format_; }

 private:
  fmt::format_string<decltype(shown(std::declval<const Args&>()))...> format_;
};

// printed("Pod {}: {} hosts\n", name, 4): each text of others on one line.
template <class... Args>
Printed printed(Sentence<std::type_identity_t<Args>...> sentence, const Args&... args) {
  return [&](const auto&... each) {
    return Printed::trusted(fmt::vformat(sentence.format(), fmt::make_format_args(each...)));
  }(shown(args)...);
}

// Text of others that has lines of its own, each behind `margin`: a command of several lines.
Printed printed_lines(std::string_view text, Literal margin = "");

inline Printed paint(const Printed& text, Ink ink, bool colour) {
  return Printed::trusted(paint(std::string_view(text.text()), ink, colour));
}

}  // namespace tpuwh::server::text
