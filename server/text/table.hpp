// A table in text: columns as wide as their widest cell, the header in bold.
#pragma once

#include "server/text/ink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::text {

class Table {
 public:
  using Row = std::vector<std::string>;
  explicit Table(Row header) : rows_{std::move(header)} {}
  void add(Row row) { rows_.push_back(std::move(row)); }

  std::string text(bool colour) const {
    std::string out;
    for (const Row& row : rows_) {
      std::string line = "  ";
      for (std::size_t i = 0; i < row.size(); ++i) {
        line += fmt::format("{:<{}}", row[i], i + 1 == row.size() ? 0 : width(i) + 2);
      }
      out += (&row == &rows_.front() ? paint(line, Ink::bold, colour) : line) + '\n';
    }
    return out;
  }

 private:
  std::size_t width(std::size_t column) const {
    std::size_t widest = 0;
    for (const Row& row : rows_) widest = std::max(widest, row[column].size());
    return widest;
  }
  std::vector<Row> rows_;
};

}  // namespace tpuwh::server::text
