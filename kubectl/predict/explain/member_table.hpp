// Members as a table: who they are, and what each has that the others have not.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/page_parts.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::explain {

using Column = std::pair<std::string, std::string>;  // container, variable

// What members of these slices have and the others have not, in the order of the first; one more
// than a table has room for where there are too many.
std::vector<Column> columns_of(const std::vector<Slice>& slices);

class MemberTable {
 public:
  // More columns than a table has room for become one cell. `with_slice`: of several slices, a
  // column says which.
  MemberTable(const std::string& caption, std::vector<Column> columns, bool with_slice,
              PageRoom& room);

  // `position`: the slice's, where it has no index.
  void add(const Slice& slice, std::size_t position, const Member& member);
  Markup markup() const { return table_.markup(); }

 private:
  std::vector<TableHtml::Cell> head() const;
  void add_variables(std::vector<TableHtml::Cell>& row, const Member& member);
  bool in_one_cell() const;

  std::vector<Column> columns_;
  bool with_slice_;
  PageRoom& room_;
  TableHtml table_;
};

}  // namespace tpuwh::server::explain
