#include "webhook/workloads/rack.hpp"

namespace tpuwh::webhook::workloads {

namespace {

bool claims(const read::Pod& pod) {
  return !pod.label(read::Label::rack_name).empty();
}

constexpr std::string_view cel = "labels[?'racks.example.dev/name'].orValue('') != ''";

void identify(const WorkloadContext& context, Member& member) {
  const read::Pod& pod = context.pod;
  member.kind = "Rack";
  member.group = pod.label(read::Label::rack_name);
  member.part = pod.label(read::Label::rack_shelf);
  member.host = {"racks.example.dev/seat", pod.label(read::Label::rack_seat)};
  member.names = {.stem = member.group, .stem2 = member.part, .numbered = true};
  member.subdomain = pod.subdomain;
  member.set_key({context.ns, "Rack", member.group, member.part});
  member.slice_in_key = true;
  if (member.part.empty())
    member.incomplete = "label racks.example.dev/shelf is missing or empty";
  else if (!member.host.present())
    member.incomplete = "label racks.example.dev/seat is missing or empty";
}

constexpr Written labels[] = {{"racks.example.dev/name", "{name}"},
                              {"racks.example.dev/shelf", "{part}"},
                              {"racks.example.dev/seat", "{index}"}};

constexpr PlainMaker maker{.parts = "shelves",
                           .count = "seats",
                           .pod_name = "{name}-{part}-{index}",
                           .subdomain = "{name}",
                           .labels = labels};

constexpr ObjectKind objects[] = {{.group = "racks.example.dev",
                                   .versions = {"v1beta1"},
                                   .kind = "Rack",
                                   .resource = "racks",
                                   .maker = &maker}};

}  // namespace

const Workload rack_workload{.name = "rack",
                             .kind = config::WorkloadKind::rack,
                             .claims = claims,
                             .cel = cel,
                             .label_key = "racks.example.dev/name",
                             .identify = identify,
                             .host_from = "label racks.example.dev/seat",
                             .slice_from = "label racks.example.dev/seat",
                             .service_by = "the Rack controller",
                             .part_is = "shelf",
                             .name_label = "racks.example.dev/name",
                             .group_kind = "Rack",
                             .objects = objects};

}  // namespace tpuwh::webhook::workloads
