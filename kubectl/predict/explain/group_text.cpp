#include "kubectl/predict/explain/group_text.hpp"

#include "base/counted.hpp"
#include "kubectl/predict/explain/fold.hpp"
#include "kubectl/predict/explain/shared.hpp"
#include "kubectl/predict/explain/worker_ids.hpp"
#include "kubectl/print/table.hpp"
#include "kubectl/reference/catalog/gcloud.hpp"
#include "kubectl/reference/catalog/picture.hpp"
#include "topology/layout/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::explain {

namespace {

using base::counted;
using text::Ink;

constexpr std::size_t most_slices = 6;       // rows
constexpr std::size_t most_value = 100;      // bytes
constexpr std::ptrdiff_t most_picture = 14;  // lines

class GroupPrinter {
 public:
  explicit GroupPrinter(TextLines& out) : out_(out) {}

  void print(const Group& group, GroupParts parts) {
    if (parts.titled) out_.heading(group.title.empty() ? "others" : group.title);
    out_.gap();
    slices(group);
    variables(group);
    placement(group);
    picture(group);
    if (parts.pools) pools(group);
  }

 private:
  static std::string index_of(const Group& group, const Slice& slice) {
    if (!slice.index) return slice.name;
    return group.slices_of_job > 1 ? fmt::format("{} of {}", *slice.index, group.slices_of_job)
                                   : std::to_string(*slice.index);
  }

  static std::string hosts_of(const Group& group, const Slice& slice) {
    if (group.hosts == 0) return "?";
    const auto there = group.hosts - slice.missing;
    return slice.missing == 0 ? std::to_string(there) : fmt::format("{} of {}", there, group.hosts);
  }

  static std::string ids_of(const Slice& slice) {
    const std::string ids = worker_ids_text(slice);
    return ids.empty() ? "-" : ids;
  }

  std::string members_of(const Slice& slice) const {
    std::vector<std::string> names;
    for (const Member& member : slice.members) names.push_back(member.pod);
    return folded(names, out_.most(2));
  }

  void slices(const Group& group) {
    print::Table table({"SLICE", "HOSTS", "WORKER IDS", "HOST NAMES"});
    const std::size_t all = group.slices.size(), shown = out_.most(most_slices);
    for (std::size_t i = 0; i < all; ++i) {
      const bool folds = all > shown && i + 1 < all && i >= shown - 2;
      if (folds && i == shown - 2)
        table.add({"…", "", "", fmt::format("{} more", all - shown + 1)});
      if (folds) continue;
      const Slice& slice = group.slices[i];
      table.add({index_of(group, slice), hosts_of(group, slice), ids_of(slice), members_of(slice)});
    }
    out_.add(table.text(out_.style().colour));
  }

  std::string told(const std::string& value, std::size_t most_bytes) const {
    return out_.style().all ? value : shortened(value, most_bytes);
  }

  text::Printed named(const Variable& variable, const std::string& value) const {
    const std::string there = !variable.replaces.empty()
                                  ? fmt::format(" (replaces {})", shortened(variable.replaces, 40))
                              : variable.ours   ? ""
                              : variable.owners ? " (LeaderWorkerSet's)"
                                                : " (already set)";
    return text::printed("{}={}{}{}", variable.name, variable.from ? "from " : "", value,
                         there.empty() ? text::Printed() : out_.paint(there, Ink::dim));
  }

  // Containers that have a variable alike are told together; of all of them nothing is said.
  void variable_lines(const std::vector<Variable>& variables, std::uint32_t containers) {
    for (const Shared& each : shared(variables))
      out_.line("    {}{}",
                each.containers.size() == containers ? "" : folded(each.containers) + ": ",
                named(*each.variable, told(each.variable->value, most_value)));
  }

  // A variable that differs, with the values it has one after the other.
  struct Differing {
    Variable variable;
    std::vector<std::string> values;
  };

  template <class Owners>
  static std::vector<Differing> differing(const Owners& owners) {
    std::vector<Differing> out;
    for (const auto& owner : owners)
      for (const Variable& each : owner.variables) {
        const auto same = [&](const Differing& other) {
          return other.variable.container == each.container && other.variable.name == each.name;
        };
        auto found = std::ranges::find_if(out, same);
        if (found == out.end()) found = out.insert(out.end(), {each, {}});
        if (!each.replaces.empty()) found->variable = each;  // on host 0 the default is right
        found->values.push_back(each.value);
      }
    return out;
  }

  // One after the other as long as that is a line, else the first and how many.
  std::string row(const std::vector<std::string>& values) const {
    if (std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end())
      return told(values.front(), most_value);
    const std::string all = folded(values, out_.most(4));
    if (out_.style().all || all.size() <= most_value) return all;
    return fmt::format("{} … ({} values)", told(values.front(), most_value / 2), values.size());
  }

  void differing_lines(const std::vector<Differing>& variables, bool several_containers) {
    for (const Differing& each : variables)
      out_.line("    {}{}", several_containers ? each.variable.container + ": " : "",
                named(each.variable, row(each.values)));
  }

  // Leader and workers of a LeaderWorkerSet have templates of their own.
  static bool names_differ(const Group& group) {
    std::set<std::string_view> names;
    for (const Slice& slice : group.slices) {
      for (const Variable& each : slice.variables) names.insert(each.container);
      for (const Member& member : slice.members)
        for (const Variable& each : member.variables) names.insert(each.container);
    }
    return names.size() > group.processes_per_host;
  }

  void variables(const Group& group) {
    const bool several = group.processes_per_host > 1 || names_differ(group);
    if (!group.variables.empty()) {
      out_.heading("all Pods get");
      variable_lines(group.variables, group.processes_per_host);
    }
    if (const auto by_slice = differing(group.slices); !by_slice.empty()) {
      out_.heading("each slice its own");
      differing_lines(by_slice, several);
    }
    // Members of one slice show what differs; those of the others have the like.
    const auto by_member = differing(group.slices.front().members);
    if (by_member.empty()) return;
    out_.heading(group.slices.size() == 1 ? "each Pod its own"
                                          : "each Pod of a slice its own, as in the first");
    differing_lines(by_member, several);
  }

  void placement(const Group& group) {
    if (group.placement.empty()) return;
    out_.heading("where they run");
    for (const std::string& each : group.placement) out_.line("    {}", each);
  }

  // What is drawn is processes: of several on a host, these are told too.
  static std::string boxes(const Group& group, std::size_t drawn) {
    if (group.processes_per_host == 1) return counted(drawn, "host");
    return fmt::format("{} processes on {}", drawn, counted(group.hosts, "host"));
  }

  void picture(const Group& group) {
    if (!group.pool || !group.multi_host()) return;
    const auto grid = topology::layout::host_grid(group.pool->slice.dims,
                                                  group.chips_per_host / group.processes_per_host);
    if (!grid) return;
    const std::string drawn =
        catalog::picture(*grid, group.pool->slice.dims.rank(), out_.style().colour);
    out_.heading("the slice");
    if (!out_.style().all && std::ranges::count(drawn, '\n') > most_picture)
      return out_.line("    {} in {}; --all draws {}", boxes(group, grid->size()), group.topology,
                       group.processes_per_host > 1 ? "them" : "it");
    out_.picture(std::string_view(drawn).substr(0, drawn.size() - 1));
    out_.line("    {}", where_ids_stand);
  }

  void pools(const Group& group) {
    if (!group.pool) return;
    const auto& pool = *group.pool;
    const auto& options = group.pool_options;
    out_.heading("node pools to create, if they do not exist");
    if (!group.no_pool.empty()) return out_.line("    none: {}", group.no_pool);
    const auto pools = catalog::pool_count(pool, options);
    out_.line("    {} of {} {}{}", counted(pools, "node pool"),
              catalog::nodes_of_pool(pool, options), pool.machine->name, pools > 1 ? " each" : "");
    commands(catalog::gcloud_commands(pool, options));
  }

  // Of several of one kind ("gcloud container node-pools create"), the first.
  void commands(const std::vector<catalog::GcloudCommand>& all) {
    std::vector<std::string> kinds;
    std::size_t folded_away = 0;
    for (const catalog::GcloudCommand& each : all) {
      const auto end = each.words.begin() + std::min<std::ptrdiff_t>(4, std::ssize(each.words));
      const std::string kind = fmt::format("{}", fmt::join(each.words.begin(), end, " "));
      const bool again = std::ranges::find(kinds, kind) != kinds.end();
      if (again && all.size() > 2 && !out_.style().all) {
        ++folded_away;
        continue;
      }
      kinds.push_back(kind);
      out_.block(each.text());
    }
    if (folded_away > 0)
      out_.line("    … and {} more for the others; --all prints them",
                counted(folded_away, "command"));
  }

  TextLines& out_;
};

}  // namespace

void print_group(const Group& group, GroupParts parts, TextLines& out) {
  GroupPrinter(out).print(group, parts);
}

}  // namespace tpuwh::server::explain
