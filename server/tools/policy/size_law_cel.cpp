#include "server/tools/policy/size_law_cel.hpp"

#include "base/edits.hpp"
#include "topology/catalog.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::policy {

namespace {

using webhook::findings::Finding;

// Templates of an object, and containers of one, beyond which nothing is said. A review looks at 32
// templates that ask for TPUs (webhook/validate/checker.hpp).
constexpr std::string_view asking =
    R"(variables.templates.map(all, all.size() > 32 ? [] : all.map(t, {
  'template': dyn(t),
  'annotations': dyn(t.pod.?metadata.?annotations.orValue({})),
  'selector': dyn(t.pod.spec.?nodeSelector.orValue({})),
  'containers': dyn(t.pod.spec.containers.size() > 100 ? [] :
    t.pod.spec.containers.filter(c, 'google.com/tpu' in c.?resources.?limits.orValue({}))),
  'others': dyn(t.pod.spec.?initContainers.orValue([]))
}).filter(a, a.containers.size() > 0)))";

// `judged`: the Pod says by itself what it asks for, and wants to be looked at. `alone`: nobody but
// the object has a say in the size of its slices.
constexpr std::string_view shapes = R"(variables.asking.map(all, all.map(a, {
  'template': dyn(a.template),
  'topology': dyn(a.selector[?'cloud.google.com/gke-tpu-topology'].orValue('')),
  'accelerator': dyn(a.selector[?'cloud.google.com/gke-tpu-accelerator'].orValue('')),
  'each': dyn(string(a.containers[0].resources.limits['google.com/tpu'])),
  'containers': dyn(a.containers.size()),
  'judged': dyn(
    (a.containers.size() == 1 || a.containers.size() <= 16 &&
      a.selector[?'cloud.google.com/gke-tpu-accelerator'].orValue('') in [@shared@]) &&
    a.containers.all(c, string(c.resources.limits['google.com/tpu']) ==
      string(a.containers[0].resources.limits['google.com/tpu'])) &&
    a.template.pod.spec.containers.all(c, !('google.com/tpu' in c.?resources.?requests.orValue({})) ||
      string(c.resources.?limits[?'google.com/tpu'].orValue('')) ==
      string(c.resources.requests['google.com/tpu'])) &&
    a.others.size() <= 100 && !a.others.exists(c,
      'google.com/tpu' in c.?resources.?limits.orValue({}) ||
      'google.com/tpu' in c.?resources.?requests.orValue({})) &&
    a.annotations[?'cloud.google.com/gke-tpu-slice-topology'].orValue('') == '' &&
    a.annotations[?'@prefix@inject'].orValue('') != 'false' &&
    a.annotations[?'cloud.google.com/skip-tpu-webhook-check'].orValue('') != 'true'),
  'alone': dyn(
    !['worker-id', 'worker-count', 'hostnames', 'slice-id', 'slice-count', 'coordinator'].exists(key,
      '@prefix@' + key in a.annotations) &&
    !has(a.template.pod.spec.affinity) && !has(a.template.pod.spec.schedulingGates) &&
    a.selector.size() <= 100 && !a.selector.exists(key, key == 'cloud.google.com/gke-tpu-slice' ||
      key.startsWith('cloud.google.com/gke-tpu-slice-') ||
      key.startsWith('cloud.google.com/gke-tpu-partition-')) &&
    !('kueue.x-k8s.io/queue-name' in a.template.labels) &&
    !('kueue.x-k8s.io/queue-name' in a.template.pod.?metadata.?labels.orValue({})) &&
    !a.containers.exists(c, c.?env.orValue([]).size() > 500 || c.?env.orValue([]).exists(e,
      e.name in ['TPU_WORKER_ID', 'TPU_WORKER_HOSTNAMES', 'TPU_PROCESS_ADDRESSES'])))
}).filter(s, s.judged && s.topology != '' && s.each.matches('^[1-9][0-9]{0,3}$'))))";

// `axes` is [0] where the topology is not two or three numbers that can be multiplied here. `block`
// is how the chips of a container lie in the slice.
constexpr std::string_view numbers = R"(variables.shapes.map(all, all.map(s, {
  'shape': dyn(s),
  'chips': dyn(int(s.each) * s.containers),
  'axes': dyn(s.topology.matches('^[1-9][0-9]{0,5}(x[1-9][0-9]{0,5}){1,2}$') ?
    s.topology.split('x').map(axis, int(axis)) : [0]),
  'block': dyn({'1': [1, 1], '2': [1, 2], '4': [2, 2], '8': [2, 4]}[?s.each].orValue([1, 1]))
}).map(n, {
  'shape': dyn(n.shape),
  'chips': dyn(n.chips),
  'block': dyn(n.block),
  'all': dyn(n.axes.size() == 1 ? 0 : n.axes[0] * n.axes[1] * (n.axes.size() == 3 ? n.axes[2] : 1)),
  'whole': dyn(n.axes.size() == 1 || n.axes[0] % n.block[0] == 0 && n.axes[1] % n.block[1] == 0)
})))";

// Slices of several hosts have nodes of one number of chips for each accelerator, 0 for one that
// has no such slices; Pods that ask for another number share nodes, or mean another slice.
constexpr std::string_view sizes = R"(variables.numbers.map(all, all.map(n, {
  'number': dyn(n),
  'hosts': dyn(n.all > n.chips && n.all <= 1048576 && n.all % n.chips == 0 && n.whole &&
    n.shape.alone && n.chips == {@nodes@}[?n.shape.accelerator].orValue(n.chips) ?
    n.all / n.chips : 1)
}).map(z, {
  'template': dyn(z.number.shape.template),
  'topology': dyn(z.number.shape.topology),
  'each': dyn(z.number.shape.each),
  'chips': dyn(z.number.chips),
  'block': dyn(z.number.block),
  'all': dyn(z.number.all),
  'whole': dyn(z.number.whole),
  'hosts': dyn(z.hosts),
  'has': dyn(z.number.shape.topology + ' with ' + string(z.number.chips) + ' chips per Pod has ' +
    string(z.hosts) + ' hosts (' + string(z.number.all) + ' / ' + string(z.number.chips) + ')')
})))";

// In the order in which decide() comes to them.
constexpr Fault of_shapes[] = {
    {Finding::topology_malformed,
     "size.all == 0 && !size.topology.matches('^[1-9][0-9]*(x[1-9][0-9]*){1,2}$')",
     R"('topology ' + size.topology + ' is not AxB or AxBxC in whole numbers, such as 4x4 or 2x2x1')"},
    {Finding::topology_malformed, "size.all > 1048576 || size.topology.matches('[0-9]{8}')",
     R"('topology ' + size.topology + ' has more chips than any slice could have')"},
    {Finding::topology_not_divisible, "size.all % size.chips != 0",
     R"('topology ' + size.topology + ' is ' + string(size.all) +
    (size.all == 1 ? ' chip' : ' chips') +
    ' and cannot be split over Pods of ' + string(size.chips) + ' chips')"},
    {Finding::topology_not_divisible, "!size.whole",
     R"('topology ' + size.topology + ' cannot be split into blocks of ' + string(size.block[0]) + 'x' +
    string(size.block[1]) + ', which ' + size.each + ' chips form')"},
};

// "'tpu7x', 'tpu7'": of the generations whose containers may share a host.
std::string sharing() {
  std::string out;
  for (const topology::Generation& each : topology::generations())
    if (each.traits.shares_host())
      out += fmt::format("{}'{}'", out.empty() ? "" : ", ", each.label);
  return out;
}

// Chips of a node of its slices of several hosts: each machine type that has such slices has as
// many, or nothing can be said by a number (-1, which no Pod asks for).
int chips_of_nodes(const topology::Generation& generation) {
  int found = 0;
  for (const topology::MachineType& machine : generation.machine_types) {
    if (std::ranges::none_of(machine.topologies, [](const auto& each) { return each.vms > 1; }))
      continue;
    const int chips = static_cast<int>(machine.chips_per_vm);
    found = found == 0 || found == chips ? chips : -1;
  }
  return found;
}

// "'tpu-v6e-slice': 4, …"
std::string nodes() {
  std::string out;
  for (const topology::Generation& each : topology::generations())
    out += fmt::format("{}'{}': {}", out.empty() ? "" : ", ", each.label, chips_of_nodes(each));
  return out;
}

}  // namespace

std::vector<Step> steps(std::string_view prefix) {
  return {{"asking", std::string(asking)},
          {"shapes", with(with(shapes, "@shared@", sharing()), "@prefix@", prefix)},
          {"numbers", std::string(numbers)},
          {"sizes", with(sizes, "@nodes@", nodes())}};
}

std::span<const Fault> faults_of_shapes() {
  return of_shapes;
}

// Its maker was told, or will be; and nothing is judged of what goes.
std::string made_by_nobody_checked() {
  std::string kinds;
  for (const auto& workload : webhook::workloads::workloads())
    for (const webhook::workloads::ObjectKind& each : workload.objects)
      kinds += fmt::format("{}'{}'", kinds.empty() ? "" : ", ", each.kind);
  return fmt::format(
      R"(!has(object.metadata.deletionTimestamp) &&
!object.metadata.?ownerReferences.orValue([]).exists(owner,
  owner.?controller.orValue(false) && owner.kind in [{}]))",
      kinds);
}

std::string with(std::string_view text, std::string_view place, std::string_view value) {
  std::string out(text);
  base::replace_all(out, place, value);
  return out;
}

namespace {

std::string sentence_of(const Fault& fault) {
  if (fault.count.empty()) return std::string(fault.sentence);
  return fmt::format(
      "(has(size.template.of.{0}) ? '{0} is ' + string(size.template.of.{0}) :\n"
      "      '{0} is missing, which means 1') + ', but ' + size.has",
      fault.count);
}

}  // namespace

std::string faults_cel(const std::vector<Fault>& faults) {
  std::string out = "variables.sizes.map(all, all.map(size,\n";
  for (const Fault& each : faults)
    out += fmt::format("  {} ? '{}: ' + size.template.title + {} + '{}' :\n", each.holds,
                       webhook::findings::row(each.finding).id, sentence_of(each), each.end);
  return out + "  '').filter(fault, fault != ''))";
}

}  // namespace tpuwh::server::policy
