#include "kubectl/predict/explain/variables_page.hpp"

#include "kubectl/predict/explain/shared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace tpuwh::server::explain {

namespace {

using Cell = TableHtml::Cell;

// How many there are, as far as variables name them.
std::size_t container_count(const std::vector<VariableGroup>& groups) {
  std::set<std::string_view> names;
  for (const VariableGroup& group : groups)
    for (const Variable& variable : group.variables) names.insert(variable.container);
  names.erase("");
  return names.size();
}

Markup writer_html(const Variable& variable) {
  if (variable.owners) return element("span", "class=\"quiet\"", "LeaderWorkerSet");
  if (!variable.ours) return element("span", "class=\"quiet\"", "already there");
  const Markup writer = element("span", "class=\"tag\"", "tpu-webhook");
  return variable.replaces.empty() ? writer : writer + " replaces " + escaped(variable.replaces);
}

bool in_all(const Shared& each, std::size_t containers) {
  return each.containers.size() >= containers || each.containers.front().empty();
}

// The only variable of the name; null where there is none or several containers have one.
const Variable* only_one(const Member& member, const std::string& name) {
  const auto is = [&](const Variable& variable) { return variable.name == name; };
  const auto found = std::ranges::find_if(member.variables, is);
  return std::ranges::count_if(member.variables, is) == 1 ? &*found : nullptr;
}

bool all_have_once(const Slice& slice, const std::string& name) {
  return std::ranges::all_of(
      slice.members, [&](const Member& member) { return only_one(member, name) != nullptr; });
}

bool all_have_alike(const Slice& slice, const Variable& variable) {
  return std::ranges::all_of(slice.members, [&](const Member& member) {
    const Variable* other = only_one(member, variable.name);
    return other != nullptr && other->value == variable.value && other->from == variable.from;
  });
}

class VariableTable {
 public:
  VariableTable(const std::vector<VariableGroup>& groups, PageRoom& room)
      : room_(room), containers_(container_count(groups)) {
    for (const VariableGroup& group : groups) {
      for (const Shared& each : shared(group.variables)) {
        some_differ_ |= !in_all(each, containers_);
        has_reasons_ |= !each.variable->why.empty();
        empty_ = false;
      }
    }
    std::vector<Cell> head{{"Variable"}, {"Value", "v"}, {"Written by"}};
    if (some_differ_) head.push_back({"Container"});
    if (has_reasons_) head.push_back({"Why", "w"});
    table_.emplace("Variables of the containers", head);
  }

  void add(const VariableGroup& group) {
    if (group.variables.empty()) return;
    table_->begin_rows(group.title);
    for (const Shared& each : shared(group.variables)) table_->add(row(each));
  }
  Markup markup() const { return empty_ ? Markup() : table_->markup(); }

 private:
  std::vector<Cell> row(const Shared& each) {
    const Variable& variable = *each.variable;
    std::vector<Cell> out{{element("code", escaped(variable.name)), "", true},
                          {worth_html(variable, room_), "v"},
                          {writer_html(variable)}};
    if (some_differ_) out.push_back({containers_html(each)});
    if (has_reasons_) out.push_back({escaped(variable.why), "w"});
    return out;
  }

  Markup containers_html(const Shared& each) const {
    if (in_all(each, containers_)) return element("span", "class=\"quiet\"", "all");
    return escaped(fmt::format("{}", fmt::join(each.containers, ", ")));
  }

  PageRoom& room_;
  std::size_t containers_;
  bool empty_ = true, some_differ_ = false, has_reasons_ = false;
  std::optional<TableHtml> table_;
};

}  // namespace

Slice without_container_names(Slice slice) {
  if (slice.members.empty()) return slice;
  const std::vector<Variable> of_first = slice.members.front().variables;
  for (const Variable& variable : of_first) {
    if (!all_have_once(slice, variable.name)) continue;
    const bool alike = all_have_alike(slice, variable);
    if (alike) {
      slice.variables.push_back(variable);
      slice.variables.back().container.clear();
    }
    for (Member& member : slice.members) {
      const auto own = std::ranges::find(member.variables, variable.name, &Variable::name);
      own->container.clear();
      if (alike) member.variables.erase(own);
    }
  }
  return slice;
}

Markup worth_html(const Variable& variable, PageRoom& room) {
  if (!variable.from) return value_html(variable.value, room);
  return element("span", "class=\"quiet\"", "from ") + element("code", escaped(variable.value));
}

Markup pairs_html(const std::vector<Variable>& variables, PageRoom& room) {
  if (variables.empty()) return {};
  const std::size_t containers = container_count({{"", variables}});
  Markup pairs;
  for (const Shared& each : shared(variables)) {
    Markup name = element("code", escaped(each.variable->name));
    if (!in_all(each, containers))
      name += " " + element("span", "class=\"quiet\"", escaped(each.containers.front()));
    pairs += element("div", element("dt", name) + element("dd", worth_html(*each.variable, room)));
  }
  return element("dl", "class=\"pairs\"", pairs) + "\n";
}

Markup variables_html(const std::vector<VariableGroup>& groups, PageRoom& room) {
  VariableTable table(groups, room);
  for (const VariableGroup& group : groups) table.add(group);
  return table.markup();
}

}  // namespace tpuwh::server::explain
