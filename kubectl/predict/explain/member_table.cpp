#include "kubectl/predict/explain/member_table.hpp"

#include "kubectl/predict/explain/variables_page.hpp"
#include "kubectl/predict/explain/worker_ids.hpp"

#include <algorithm>

namespace tpuwh::server::explain {

namespace {

using Cell = TableHtml::Cell;

constexpr std::size_t most_columns = 4;  // of variables; more are one cell

// The worker id has a column of its own.
bool has_own_column(const Variable& variable) {
  return variable.name == "TPU_WORKER_ID" && !variable.from;
}

bool one_container(const std::vector<Column>& columns) {
  return std::ranges::all_of(columns, [&](const Column& c) { return c.first == columns[0].first; });
}

Markup column_title(const Column& column, bool with_container) {
  const Markup name = element("code", escaped(column.second));
  return with_container ? name + " in " + escaped(column.first) : name;
}

const Variable* find_variable(const Member& member, const Column& column) {
  const auto found = std::ranges::find_if(member.variables, [&](const Variable& variable) {
    return variable.container == column.first && variable.name == column.second;
  });
  return found == member.variables.end() ? nullptr : &*found;
}

Markup all_variables(const Member& member, PageRoom& room) {
  Markup out;
  for (const Variable& variable : member.variables) {
    if (has_own_column(variable)) continue;
    if (!out.empty()) out += "<br>";
    out += element("code", escaped(variable.name + "=")) + worth_html(variable, room);
    if (!variable.container.empty())
      out += " " + element("span", "class=\"quiet\"", escaped(variable.container));
  }
  return out;
}

}  // namespace

std::vector<Column> columns_of(const std::vector<Slice>& slices) {
  std::vector<Column> out;
  for (const Slice& slice : slices) {
    for (const Member& member : slice.members) {
      for (const Variable& variable : member.variables) {
        Column column{variable.container, variable.name};
        if (has_own_column(variable) || std::ranges::find(out, column) != out.end()) continue;
        out.push_back(std::move(column));
        if (out.size() > most_columns) return out;
      }
    }
  }
  return out;
}

MemberTable::MemberTable(const std::string& caption, std::vector<Column> columns, bool with_slice,
                         PageRoom& room)
    : columns_(std::move(columns)),
      with_slice_(with_slice),
      room_(room),
      table_(caption, head(), TableHtml::Look::fitting) {}

bool MemberTable::in_one_cell() const {
  return columns_.size() > most_columns;
}

void MemberTable::add(const Slice& slice, std::size_t position, const Member& member) {
  std::vector<Cell> row{{escaped(member.pod), "", true}};
  if (with_slice_) row.push_back({number(slice.index.value_or(position)), "n"});
  row.push_back({member.host ? number(*member.host) : Markup("not known"), "n"});
  row.push_back({escaped(worker_ids_text(member)), "n"});
  add_variables(row, member);
  table_.add(row);
}

std::vector<Cell> MemberTable::head() const {
  std::vector<Cell> row{{"Host name"}};
  if (with_slice_) row.push_back({"Slice", "n"});
  row.push_back({"Host", "n"});
  row.push_back({"Worker id", "n"});
  if (in_one_cell()) {
    row.push_back({"Variables of its own", "v"});
    return row;
  }
  const bool with_container = !one_container(columns_);
  for (const Column& column : columns_) row.push_back({column_title(column, with_container), "v"});
  return row;
}

void MemberTable::add_variables(std::vector<Cell>& row, const Member& member) {
  if (in_one_cell()) {
    row.push_back({all_variables(member, room_), "v"});
    return;
  }
  for (const Column& column : columns_) {
    const Variable* variable = find_variable(member, column);
    row.push_back({variable == nullptr ? Markup() : worth_html(*variable, room_), "v"});
  }
}

}  // namespace tpuwh::server::explain
