// A table in text: columns as wide as their widest cell, the header in bold. Cells are text of
// others and escaped.
#pragma once

#include "kubectl/text/printed.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::print {

class Table {
 public:
  using Row = std::vector<std::string>;
  explicit Table(Row header) { add(std::move(header)); }
  void add(Row row) {
    for (std::string& cell : row) cell = text::visible(cell);
    widths_.resize(std::max(widths_.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], row[i].size());
    rows_.push_back(std::move(row));
  }

  text::Printed text(bool colour) const {
    text::Printed out;
    for (const Row& row : rows_) {
      text::Printed line("  ");
      for (std::size_t i = 0; i < row.size(); ++i)
        line += text::printed("{:<{}}", row[i], i + 1 == row.size() ? 0 : widths_[i] + 2);
      out += (&row == &rows_.front() ? text::paint(line, text::Ink::bold, colour) : line);
      out += "\n";
    }
    return out;
  }

 private:
  std::vector<Row> rows_;
  std::vector<std::size_t> widths_;
};

}  // namespace tpuwh::server::print
