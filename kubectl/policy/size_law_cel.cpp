#include "kubectl/policy/size_law_cel.hpp"

#include "base/edits.hpp"
#include "kubectl/reference/rules/entries.hpp"
#include "topology/catalog.hpp"
#include "webhook/read/vocabulary.hpp"

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
  'names': dyn(t.pod.spec.containers.size() > 100 ? [] : @names@.filter(name,
    t.pod.spec.containers.exists(c, name in c.?resources.?limits.orValue({}) ||
      name in c.?resources.?requests.orValue({})))),
  'containers': dyn(t.pod.spec.containers.size() > 100 ? [] :
    t.pod.spec.containers.filter(c, @in_limits@)),
  'others': dyn(t.pod.spec.?initContainers.orValue([]))
}).filter(a, a.containers.size() > 0)))";

// `judged` is true if the Pod itself states how many chips it asks for, by one resource, and does
// not opt out of the check. `alone` is true if the object alone determines the size of its slices.
constexpr std::string_view shapes = R"(variables.asking.map(all, all.map(a, {
  'template': dyn(a.template),
  'topology': dyn(a.selector[?'cloud.google.com/gke-tpu-topology'].orValue('')),
  'accelerator': dyn(a.selector[?'cloud.google.com/gke-tpu-accelerator'].orValue('')),
  'each': dyn(string(a.containers[0].resources.limits[?a.names[0]].orValue(dyn('')))),
  'containers': dyn(a.containers.size()),
  'judged': dyn(a.names.size() == 1 &&
    (a.containers.size() == 1 || a.containers.size() <= 16 &&
      a.selector[?'cloud.google.com/gke-tpu-accelerator'].orValue('') in [@shared@]) &&
    a.containers.all(c, string(c.resources.limits[?a.names[0]].orValue(dyn(''))) ==
      string(a.containers[0].resources.limits[?a.names[0]].orValue(dyn('')))) &&
    a.template.pod.spec.containers.all(c, !(a.names[0] in c.?resources.?requests.orValue({})) ||
      string(c.resources.?limits[?a.names[0]].orValue(dyn(''))) ==
      string(c.resources.requests[a.names[0]])) &&
    a.others.size() <= 100 && !a.others.exists(c, @in_limits@ || @in_requests@) &&
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
    (a.selector[?'cloud.google.com/gke-tpu-accelerator'].orValue('') != '' ||
      a.template.labels[?'kueue.x-k8s.io/queue-name'].orValue('') == '' &&
      a.template.pod.?metadata.?labels[?'kueue.x-k8s.io/queue-name'].orValue('') == '') &&
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
  'dims': dyn(n.axes.size()),
  'rank': dyn({@ranks@}[?n.shape.accelerator].orValue(n.axes.size())),
  'all': dyn(n.axes.size() == 1 ? 0 : n.axes[0] * n.axes[1] * (n.axes.size() == 3 ? n.axes[2] : 1)),
  'whole': dyn(n.axes.size() == 1 || n.axes[0] % n.block[0] == 0 && n.axes[1] % n.block[1] == 0)
})))";

// Slices of several hosts have nodes of one number of chips for each accelerator, 0 for one that
// has no such slices; Pods that ask for another number share nodes, or mean another slice.
constexpr std::string_view sizes = R"(variables.numbers.map(all, all.map(n, {
  'number': dyn(n),
  'hosts': dyn(n.dims == n.rank && n.all > n.chips && n.all <= 1048576 &&
    n.all % n.chips == 0 && n.whole && n.shape.alone && n.chips == {@nodes@}[?n.shape.accelerator].orValue(n.chips) ?
    n.all / n.chips : 1)
}).map(z, {
  'template': dyn(z.number.shape.template),
  'topology': dyn(z.number.shape.topology),
  'each': dyn(z.number.shape.each),
  'chips': dyn(z.number.chips),
  'block': dyn(z.number.block),
  'dims': dyn(z.number.dims),
  'rank': dyn(z.number.rank),
  'accelerator': dyn(z.number.shape.accelerator),
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
    {Finding::topology_malformed, "size.dims != size.rank",
     R"('topology ' + size.topology + ' has ' + string(size.dims) +
    ' dimensions, but those of ' + size.accelerator + ' have ' + string(size.rank))"},
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

// Returns the number of dimensions of a topology by accelerator: "'tpu-v6e-slice': 2, …".
std::string ranks() {
  std::string out;
  for (const topology::Generation& each : topology::generations())
    out += fmt::format("{}'{}': {}", out.empty() ? "" : ", ", each.label, each.rank);
  return out;
}

}  // namespace

std::string with_chips(std::string_view text) {
  std::string names;
  for (const std::string_view name : webhook::read::chip_resources)
    names += fmt::format("{}'{}'", names.empty() ? "[" : ", ", name);
  const std::string limits = rules::asks_for_chips("c.?resources.?limits.orValue({})");
  const std::string requests = rules::asks_for_chips("c.?resources.?requests.orValue({})");
  return with(with(with(text, "@names@", names + "]"), "@in_limits@", limits), "@in_requests@",
              requests);
}

std::vector<Step> steps(std::string_view prefix) {
  return {{"asking", with_chips(asking)},
          {"shapes", with(with(with_chips(shapes), "@shared@", sharing()), "@prefix@", prefix)},
          {"numbers", with(numbers, "@ranks@", ranks())},
          {"sizes", with(sizes, "@nodes@", nodes())}};
}

std::span<const Fault> faults_of_shapes() {
  return of_shapes;
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
