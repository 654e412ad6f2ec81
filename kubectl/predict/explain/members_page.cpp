#include "kubectl/predict/explain/members_page.hpp"

#include "base/counted.hpp"
#include "kubectl/predict/explain/member_table.hpp"
#include "kubectl/predict/explain/variables_page.hpp"
#include "kubectl/predict/explain/worker_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace tpuwh::server::explain {

namespace {

using base::counted;

constexpr std::size_t most_open_members = 24;  // that are not folded away
constexpr std::size_t most_open_rows = 24;     // that are not folded away
constexpr std::size_t most_rows = 200;         // of slices without their members

std::string slice_title(const Group& group, const Slice& slice, std::size_t position) {
  const auto index = slice.index ? *slice.index : static_cast<std::uint32_t>(position);
  const std::string number = group.slices.size() > 1 || slice.index ? fmt::format("slice {}", index)
                                                                    : std::string("the slice");
  return slice.name.empty() ? number : fmt::format("{}: {}", number, slice.name);
}

Markup missing_html(const Group& group, const Slice& slice) {
  if (slice.missing == 0) return {};
  return " " + element("span", "class=\"bad word\"",
                       escaped(fmt::format("✗ {} of {} missing", slice.missing,
                                           counted(group.hosts, "host"))));
}

Markup slice_summary(const Group& group, const Slice& slice, std::size_t position) {
  Markup out = element("span", "class=\"word\"", escaped(slice_title(group, slice, position)));
  const std::string ids = worker_ids_text(slice);
  const std::string members =
      counted(slice.members.size(), "Pod") + (ids.empty() ? "" : ", worker ids " + ids);
  out += " " + element("span", "class=\"quiet\"", escaped(members));
  return element("summary", out + missing_html(group, slice));
}

Markup slice_html(const Group& group, std::size_t position, bool open, PageRoom& room) {
  const Slice slice = without_container_names(group.slices[position]);
  const std::string title = slice_title(group, slice, position);
  MemberTable table("Members of " + title, columns_of({slice}), false, room);
  for (const Member& member : slice.members) table.add(slice, position, member);
  return element("details", open ? Markup("class=\"slice\" open") : Markup("class=\"slice\""),
                 slice_summary(group, slice, position) + pairs_html(slice.variables, room) +
                     table.markup()) +
         "\n";
}

// What a slice of one host has is what its only member has.
std::vector<Slice> with_all_at_members(std::vector<Slice> slices) {
  for (Slice& slice : slices) {
    slice = without_container_names(std::move(slice));
    for (Member& member : slice.members)
      member.variables.insert(member.variables.begin(), slice.variables.begin(),
                              slice.variables.end());
    slice.variables.clear();
  }
  return slices;
}

Markup single_table(std::span<const Slice> slices, const std::vector<Column>& columns,
                    std::size_t position, PageRoom& room) {
  MemberTable table("Slices of one host", columns, true, room);
  for (const Slice& slice : slices) {
    for (const Member& member : slice.members) table.add(slice, position, member);
    ++position;
  }
  return table.markup();
}

// A row is a slice.
Markup single_hosts(const Group& group, PageRoom& room) {
  const auto slices = with_all_at_members(group.slices);
  const auto columns = columns_of(slices);
  const std::size_t open = slices.size() <= most_open_rows ? slices.size() : most_open_rows / 2;
  const std::span all(slices);
  const Markup first = single_table(all.first(open), columns, 0, room);
  if (open == slices.size()) return first;
  return first +
         element("details", element("summary", number(slices.size() - open) + " more slices") +
                                single_table(all.subspan(open), columns, open, room));
}

std::string pods_text(const Slice& slice) {
  if (slice.members.empty()) return {};
  const std::string& first = slice.members.front().pod;
  const std::string& last = slice.members.back().pod;
  return first == last ? first : first + " … " + last;
}

Markup range_table(const Group& group, std::size_t first, std::size_t end) {
  TableHtml table("Slices, by their first and last member",
                  {{"Slice"}, {"Pods"}, {"Count", "n"}, {"Missing", "n"}, {"Worker ids", "n"}});
  for (std::size_t i = first; i < end; ++i) {
    const Slice& slice = group.slices[i];
    table.add({{escaped(slice_title(group, slice, i)), "", true},
               {escaped(pods_text(slice))},
               {number(slice.members.size()), "n"},
               {number(slice.missing), "n"},
               {escaped(worker_ids_text(slice)), "n"}});
  }
  return table.markup();
}

Markup not_listed(const Group& group, std::size_t listed) {
  return element("p", "class=\"quiet\"",
                 "and " + number(group.slices.size() - listed) + " more slices, up to " +
                     escaped(slice_title(group, group.slices.back(), group.slices.size() - 1)) +
                     "; " + element("code", "-o json") + " has all of them");
}

Markup ranges_html(const Group& group) {
  const std::size_t rows = std::min(group.slices.size(), most_rows);
  const std::size_t open = rows <= most_open_rows ? rows : most_open_rows / 2;
  Markup out = range_table(group, 0, open);
  if (open < rows)
    out += element("details", element("summary", number(rows - open) + " more slices") +
                                  range_table(group, open, rows));
  return rows < group.slices.size() ? out + not_listed(group, rows) : out;
}

std::size_t members_of(const Group& group) {
  std::size_t members = 0;
  for (const Slice& slice : group.slices) members += slice.members.size();
  return members;
}

bool all_single(const Group& group) {
  return group.slices.size() > 1 && std::ranges::all_of(group.slices, [](const Slice& slice) {
           return slice.members.size() <= 1 && slice.missing == 0;
         });
}

}  // namespace

Markup slices_html(const Group& group, PageRoom& room) {
  const std::size_t members = members_of(group);
  if (members > room.members) return ranges_html(group);
  room.members -= members;
  if (all_single(group)) return single_hosts(group, room);
  Markup out;
  for (std::size_t i = 0, shown = 0; i < group.slices.size(); ++i) {
    shown += group.slices[i].members.size();
    out += slice_html(group, i, shown <= most_open_members, room);
  }
  return out;
}

}  // namespace tpuwh::server::explain
