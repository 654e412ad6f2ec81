#include "webhook/workloads/statefulset.hpp"

#include "base/names.hpp"

namespace tpuwh::webhook::workloads {

namespace {

// The label (since Kubernetes 1.28), else what stands behind the owner's name and a dash in
// the Pod's.
IndexLabel ordinal_of(const read::Pod& pod) {
  if (const IndexLabel label = index_under(read::Label::pod_index, pod); label.present())
    return label;
  const std::string_view owner = pod.owner.name;
  const bool named = pod.name.size() > owner.size() + 1 && pod.name.starts_with(owner) &&
                     pod.name[owner.size()] == '-';
  return {"the number in metadata.name", named ? pod.name.substr(owner.size() + 1) : ""};
}

bool claims(const read::Pod& pod) {
  return pod.owner.kind == "StatefulSet";
}

constexpr std::string_view cel = "owner_kind == 'StatefulSet'";

void identify(const WorkloadContext& context, Member& member) {
  const read::Pod& pod = context.pod;
  member.kind = "StatefulSet";
  member.group = pod.owner.name;
  member.host = ordinal_of(pod);
  member.names.stem = member.group;
  member.names.numbered = true;
  member.subdomain = pod.subdomain;
  if (pod.owner.uid.empty())
    member.set_key({context.ns, "StatefulSet", member.group});
  else
    member.set_key({pod.owner.uid});
  member.slice_in_key = true;
  const auto start = pod.annotation(read::Annotation::start_ordinal);
  const auto first = base::plain_decimal(start);
  member.names.first = first.value_or(0);
  if (member.group.empty())
    member.incomplete = "the owner reference does not name the StatefulSet";
  else if (!start.empty() && !first)
    member.incomplete =
        "annotation start-ordinal is not a whole number, so it is not known which slice the Pod is "
        "in";
}

constexpr ObjectKind objects[] = {
    {.group = "apps", .versions = {"v1"}, .kind = "StatefulSet", .resource = "statefulsets"}};

}  // namespace

const Workload statefulset_workload{.name = "statefulset",
                                    .kind = config::WorkloadKind::statefulset,
                                    .claims = claims,
                                    .cel = cel,
                                    .identify = identify,
                                    .host_from = "the StatefulSet's ordinal",
                                    .slice_from = "the StatefulSet's ordinal",
                                    .objects = objects};

}  // namespace tpuwh::webhook::workloads
