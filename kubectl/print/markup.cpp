#include "kubectl/print/markup.hpp"

#include "server/text/visible.hpp"

#include <utility>

namespace tpuwh::server::print {

namespace {

// Of a character that HTML or XML reads as more than itself.
std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

std::string escape(std::string_view text, bool keep_lines) {
  const std::string plain = text::visible(text, keep_lines);
  std::string out;
  out.reserve(plain.size() + plain.size() / 8);
  for (const char c : plain) {
    const std::string_view instead = entity(c);
    if (instead.empty())
      out += c;
    else
      out += instead;
  }
  return out;
}

}  // namespace

Markup Markup::trusted(std::string text) {
  Markup out;
  out.text_ = std::move(text);
  return out;
}

Markup escaped(std::string_view text) {
  return Markup::trusted(escape(text, false));
}

Markup escaped_lines(std::string_view text) {
  return Markup::trusted(escape(text, true));
}

Markup number(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return Markup::trusted(std::move(digits));
}

Markup element(Literal name, const Markup& attributes, const Markup& content) {
  std::string out = "<";
  out += name.text();
  if (!attributes.empty() && attributes.text().front() != ' ') out += ' ';
  out += attributes.text() + '>' + content.text() + "</";
  out += name.text();
  return Markup::trusted(out + '>');
}

Markup element(Literal name, const Markup& content) {
  return element(name, Markup(), content);
}

Markup attribute(Literal name, std::string_view value) {
  std::string out = " ";
  out += name.text();
  return Markup::trusted(out + "=\"" + escape(value, false) + '"');
}

}  // namespace tpuwh::server::print
