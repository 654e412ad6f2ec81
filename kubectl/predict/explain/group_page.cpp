#include "kubectl/predict/explain/group_page.hpp"

#include "base/counted.hpp"
#include "kubectl/predict/explain/members_page.hpp"
#include "kubectl/predict/explain/svg.hpp"
#include "kubectl/predict/explain/variables_page.hpp"
#include "kubectl/reference/catalog/gcloud.hpp"

#include <fmt/format.h>

namespace tpuwh::server::explain {

namespace {

// Boxes of one picture; more than that and the layers behind look the same.
constexpr std::uint32_t most_hosts_pictured = 256;
constexpr std::uint32_t widest_picture = 1000;     // what the page has room for
constexpr std::uint32_t room_of_layer_title = 18;  // above a drawing that needs none

Markup fact(const Markup& name, const Markup& value) {
  if (value.empty()) return {};
  return element("div", element("dt", name) + element("dd", value));
}

Markup figure_html(const Group& group, const SlicePicture& picture) {
  const auto& [width, height] = picture.drawing.size;
  const std::uint32_t top = picture.flat ? room_of_layer_title : 0;
  const std::string label = fmt::format("{} of {}: {}", picture.slice->name, group.topology,
                                        base::counted(group.hosts, "host"));
  const std::string size = fmt::format("viewBox=\"0 {2} {0} {1}\" width=\"{0}\" height=\"{1}\"",
                                       width, height - top, top);
  const Markup attributes =
      Markup::trusted(size) + " role=\"img\"" + attribute("aria-label", label);
  Markup caption = element("span", "class=\"word\"", escaped(picture.slice->name));
  if (picture.layers_drawn < picture.layers)
    caption += " layers z=0 to z=" + number(picture.layers_drawn - 1) +
               "; those up to z=" + number(picture.layers - 1) + " look the same";
  return element("figure", element("div", "class=\"picture\"",
                                   element("svg", attributes, picture.drawing.elements)) +
                               element("figcaption", caption)) +
         "\n";
}

Markup pools_of(const Group& group) {
  if (!group.no_pool.empty()) return element("p", escaped("none: " + group.no_pool));
  const topology::layout::NodePool& pool = *group.pool;
  const catalog::PoolOptions& options = group.pool_options;
  const auto pools = catalog::pool_count(pool, options);
  const std::string title =
      fmt::format("{} of {} on {}", base::counted(pools, "node pool"),
                  base::counted(catalog::nodes_of_pool(pool, options), "node"), pool.machine->name);
  return element("p", escaped(title)) +
         commands_html("gcloud commands", catalog::gcloud_script(pool, options));
}

// Of slices and members that differ, the first shows how.
Markup variables_of(const Group& group, PageRoom& room) {
  Slice slice;
  std::vector<VariableGroup> groups{{"All members get the same", group.variables}};
  if (!group.slices.empty()) {
    slice = without_container_names(group.slices.front());
    groups.push_back({"The members of a slice get the same; here " + slice.name, slice.variables});
    if (!slice.members.empty())
      groups.push_back({"Each member gets its own; here " + slice.members.front().pod,
                        slice.members.front().variables});
  }
  return variables_html(groups, room);
}

}  // namespace

Markup numbers_html(const Group& group) {
  Markup facts = fact("Slices", number(group.slices.size()));
  facts += fact("Topology", escaped(group.topology));
  facts += fact("Accelerator", escaped(group.accelerator));
  if (group.hosts > 0) facts += fact("Hosts of a slice", number(group.hosts));
  facts += fact("Pods", number(group.pods));
  facts += fact("Chips", number(group.chips()));
  if (group.processes_per_host > 1)
    facts += fact("Processes on a host", number(group.processes_per_host));
  if (group.slices_of_job > 1)
    facts += fact("Meet over MegaScale", number(group.slices_of_job) + " slices");
  return element("dl", "class=\"facts\"", facts) + "\n";
}

Markup group_html(const Group& group, Literal heading, PageRoom& room) {
  Markup out = element(heading, "Slices and members") + slices_html(group, room);
  const Markup variables = variables_of(group, room);
  if (!variables.empty()) out += element(heading, "Variables") + variables;
  if (!group.placement.empty()) out += element(heading, "Placement") + list_html(group.placement);
  return out;
}

Markup picture_html(const Group& group) {
  const auto pictures = pictures_of(group, {most_hosts_pictured, widest_picture, false});
  if (pictures.empty()) return {};
  Markup out;
  for (const SlicePicture& picture : pictures) out += figure_html(group, picture);
  out = element("div", "class=\"figures\"", out);
  Markup note =
      "A box is a host with its worker id, a square a chip; x runs down, y to the right. ";
  note += escaped(where_ids_stand) + Markup(".");
  if (pictures.size() < group.slices.size())
    note += " " + number(group.slices.size()) + " slices look like this one.";
  return out + element("p", "class=\"quiet small\"", note) + "\n";
}

Markup node_pools_html(const Group& group) {
  return group.pool ? pools_of(group) : Markup();
}

}  // namespace tpuwh::server::explain
