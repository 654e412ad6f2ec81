#include "kubectl/predict/explain/page_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::explain {

namespace {

constexpr std::size_t longest_in_line = 160, shown_of_long = 72, tail_of_long = 40;

// At most so many bytes, and no character of UTF-8 is cut.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto follows = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80; };
  while (most > 0 && follows(text[most])) --most;
  return text.substr(0, most);
}

std::string_view end_of(std::string_view text, std::size_t most) {
  const std::string_view before = beginning(text, text.size() - std::min(most, text.size()));
  return text.substr(before.size());
}

// "1,234 bytes, 16 names" of a list.
Markup size_words(std::string_view value) {
  const auto commas = static_cast<std::size_t>(std::ranges::count(value, ','));
  Markup out = number(value.size()) + " bytes";
  if (commas > 0) out += ", " + number(commas + 1) + " entries";
  return out;
}

Markup shortened_html(std::string_view value) {
  return element("code", escaped(beginning(value, shown_of_long)) + " … " +
                             escaped(end_of(value, tail_of_long))) +
         " " + element("span", "class=\"quiet\"", "(" + size_words(value) + ")");
}

Markup cell_html(const TableHtml::Cell& cell, Literal scope) {
  Markup attributes;
  if (!cell.kind.text().empty()) attributes += attribute("class", cell.kind.text());
  if (!cell.head) return element("td", attributes, cell.content);
  return element("th", attribute("scope", scope.text()) + attributes, cell.content);
}

Markup row_html(const std::vector<TableHtml::Cell>& cells, Literal scope) {
  Markup row;
  for (const auto& cell : cells) row += cell_html(cell, scope);
  return element("tr", row) + "\n";
}

}  // namespace

Markup sign_html(const Markup& colour, const Markup& sign) {
  return element("span", "class=\"sign " + colour + "\" aria-hidden=\"true\"", sign);
}

Markup words_html(std::string_view sentence) {
  Markup out;
  for (;;) {
    const auto open = sentence.find('`');
    const auto close = open == sentence.npos ? open : sentence.find('`', open + 1);
    if (close == sentence.npos) return out + escaped(sentence);
    out += escaped(sentence.substr(0, open));
    out += element("code", escaped(sentence.substr(open + 1, close - open - 1)));
    sentence.remove_prefix(close + 1);
  }
}

Markup list_html(std::span<const std::string> sentences) {
  if (sentences.empty()) return {};
  Markup items;
  for (const std::string& sentence : sentences) items += element("li", words_html(sentence)) + "\n";
  return element("ul", items) + "\n";
}

Markup commands_html(std::string_view label, std::string_view text) {
  return element("pre", "tabindex=\"0\"" + attribute("aria-label", label),
                 element("code", escaped_lines(text))) +
         "\n";
}

Markup value_html(std::string_view value, PageRoom& room) {
  if (value.empty()) return element("span", "class=\"quiet\"", "(empty)");
  if (value.size() <= longest_in_line) return element("code", escaped(value));
  if (value.size() > room.long_values) return shortened_html(value);
  room.long_values -= value.size();
  return element("details",
                 element("summary", shortened_html(value)) + element("code", escaped(value)));
}

TableHtml::TableHtml(std::string_view caption, std::vector<Cell> head, Look look)
    : caption_(caption), look_(look), columns_(head.size()) {
  for (Cell& cell : head) cell.head = true;
  head_ = element("thead", row_html(head, "col"));
}

void TableHtml::add(const std::vector<Cell>& row) {
  rows_ += row_html(row, "row");
}

void TableHtml::begin_rows(std::string_view title) {
  const Markup attributes =
      "class=\"rows\" scope=\"rowgroup\" colspan=\"" + number(columns_) + "\"";
  if (!rows_.empty()) rows_ += "</tbody><tbody>";
  rows_ += element("tr", element("th", attributes, escaped(title))) + "\n";
}

Markup TableHtml::markup() const {
  const bool fits = look_ == Look::fitting;
  const Markup caption = element("caption", "class=\"unseen\"", escaped(caption_));
  const Markup box = fits ? Markup("class=\"wide fit\"") : Markup("class=\"wide\"");
  return element("div", box + " role=\"region\" tabindex=\"0\"" + attribute("aria-label", caption_),
                 element("table", caption + head_ + "\n" + element("tbody", rows_))) +
         "\n";
}

}  // namespace tpuwh::server::explain
