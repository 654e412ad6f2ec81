#include "kubectl/predict/explain/svg.hpp"

#include "base/counted.hpp"
#include "kubectl/predict/explain/worker_ids.hpp"
#include "topology/layout/grid.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace tpuwh::server::explain {

namespace {

using base::counted;
using print::escaped;
using print::Markup;

// More look the same and are longer than anybody scrolls.
constexpr std::size_t most_slices_drawn = 4;
constexpr std::size_t most_hosts_of_several = 128;

constexpr PictureLook in_a_file{std::numeric_limits<std::uint32_t>::max(), 1200, true};

constexpr auto missing_style =
    ".m{fill:none;stroke:#c5221f;stroke-dasharray:4 3}.m~.c{fill:none;stroke:#c5221f}\n";

struct Layout {
  topology::layout::HostGrid grid;
  unsigned rank;
};

std::optional<Layout> layout_of(const Group& group) {
  const auto dims = topology::Dims::parse(group.topology);
  if (!dims) return std::nullopt;
  const auto grid = topology::layout::host_grid(*dims, group.chips_per_host);
  if (!grid || grid->size() != group.hosts) return std::nullopt;
  return Layout{*grid, dims->rank()};
}

const Member* member_at(const Slice& slice, std::uint32_t host) {
  if (host < slice.members.size() && slice.members[host].host == host) return &slice.members[host];
  for (const Member& member : slice.members)
    if (member.host == host) return &member;
  return nullptr;
}

catalog::HostWords words_of(const Slice& slice, std::uint32_t host) {
  const Member* member = member_at(slice, host);
  if (member == nullptr)
    return {.id = "-",
            .title = escaped(fmt::format("host {}: no Pod", host)),
            .more_class = missing_host};
  const std::string ids = worker_ids_text(*member);
  const std::string said = ids.empty() ? "" : ", worker id " + ids;
  return {.id = escaped(ids.empty() ? std::to_string(host) : ids),
          .title = escaped(fmt::format("{}: host {}{}", member->pod, host, said))};
}

Markup picture_title(const Group& group, const Slice& slice, bool alone) {
  const std::string shape =
      fmt::format("{} of {}: {}", group.topology, group.accelerator, counted(group.hosts, "host"));
  return escaped(alone ? shape : fmt::format("{}, {}", slice.name, shape));
}

std::size_t drawn_of(const Group& group) {
  const std::size_t slices = group.slices.size();
  const bool few = slices <= most_slices_drawn && slices * group.hosts <= most_hosts_of_several;
  return few ? slices : std::min<std::size_t>(slices, 1);
}

void append_heading(catalog::Drawing& all, const std::string& words) {
  constexpr std::uint32_t height = 26, width = 420;
  all.append(
      {.elements = Markup::trusted(fmt::format("<text class=\"t\" x=\"8\" y=\"{}\">{}</text>\n",
                                               all.size.height + 19, escaped(words).text())),
       .size = {width, height}});
}

void append_group(catalog::Drawing& all, const Group& group) {
  const auto pictures = pictures_of(group, in_a_file);
  for (const SlicePicture& picture : pictures) {
    catalog::Drawing moved;
    moved.elements = Markup::trusted(fmt::format("<g transform=\"translate(0 {})\">{}</g>\n",
                                                 all.size.height, picture.drawing.elements.text()));
    moved.size = picture.drawing.size;
    all.append(moved);
  }
  if (!pictures.empty() && pictures.size() < group.slices.size())
    append_heading(all,
                   fmt::format("and {} more such slices", group.slices.size() - pictures.size()));
  if (pictures.empty()) append_heading(all, "no layout of its chips is known");
}

std::string heading_of(const Workload& workload, const Group& group) {
  const std::string name = workload.ns.empty() ? workload.name : workload.ns + '/' + workload.name;
  return fmt::format("{} {}{}{}", workload.kind, name, group.title.empty() ? "" : ", ",
                     group.title);
}

}  // namespace

std::vector<SlicePicture> pictures_of(const Group& group, const PictureLook& look) {
  const auto layout = layout_of(group);
  if (!layout) return {};
  std::vector<SlicePicture> out;
  for (std::size_t i = 0; i < drawn_of(group); ++i) {
    const Slice& slice = group.slices[i];
    const catalog::SliceDrawing drawing{
        .grid = layout->grid,
        .rank = layout->rank,
        .title = look.titled ? picture_title(group, slice, group.slices.size() == 1) : Markup(),
        .words = [&](std::uint32_t host) { return words_of(slice, host); },
        .widest = look.widest,
        .most_hosts = look.most_hosts};
    out.push_back({.slice = &slice,
                   .drawing = catalog::draw(drawing, 0),
                   .layers = layout->grid.hosts()[2],
                   .layers_drawn = catalog::layers_drawn(drawing),
                   .flat = layout->rank == 2});
  }
  return out;
}

std::string svg(const Explanation& explanation) {
  catalog::Drawing all;
  for (const Workload& workload : explanation.workloads) {
    for (const Group& group : workload.groups) {
      append_heading(all, heading_of(workload, group));
      append_group(all, group);
    }
  }
  if (all.size.height == 0) append_heading(all, "nothing asks for TPU chips");
  return catalog::svg_file(all, missing_style);
}

}  // namespace tpuwh::server::explain
