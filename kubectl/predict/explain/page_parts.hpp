// Parts of the page of html.hpp that several sections use.
#pragma once

#include "kubectl/print/markup.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::explain {

using print::attribute;
using print::element;
using print::escaped;
using print::escaped_lines;
using print::Literal;
using print::Markup;
using print::number;

// What a section may still list; the rest is told in ranges.
struct PageRoom {
  std::size_t members = 300;
  std::size_t long_values = 400'000;  // bytes of values that are folded away
};

// A sign in a circle, ✓ ! ✗ ·; whoever listens hears the word beside it instead. `colour`: a class.
Markup sign_html(const Markup& colour, const Markup& sign);

// A sentence of ours, in which `...` is code.
Markup words_html(std::string_view sentence);

// <li> each, "" for none.
Markup list_html(std::span<const std::string> sentences);

// A command or several, kept as they are.
Markup commands_html(std::string_view label, std::string_view text);

// A value: as it is, or folded where it is long.
Markup value_html(std::string_view value, PageRoom& room);

// A table that scrolls by itself; numbers stand right.
class TableHtml {
 public:
  // As wide as the page, or as its cells. The caption is for those who listen: what is around says
  // it.
  enum class Look { wide, fitting };
  struct Cell {
    Markup content;
    Literal kind = "";  // "n" number, "v" value, "w" words
    bool head = false;  // of its row
  };
  TableHtml(std::string_view caption, std::vector<Cell> head, Look look = Look::wide);
  void add(const std::vector<Cell>& row);
  // The rows from here on have a title.
  void begin_rows(std::string_view title);
  Markup markup() const;

 private:
  std::string caption_;
  Look look_;
  std::size_t columns_;
  Markup head_, rows_;
};

}  // namespace tpuwh::server::explain
