#include "webhook/identity/pod_slice.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "topology/accelerator.hpp"
#include "webhook/findings/errc.hpp"
#include "webhook/identity/contradictions.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace tpuwh::webhook::identity {

namespace {

using findings::Finding;
using topology::Dims;

// Nothing sensible can be made of several sizes in one Pod, or of a topology that
// does not say what it means; the Pod is left as it is.
std::string_view odd_shape(const facts::Shape& shape) {
  if (shape.processes.empty()) return "only init containers ask for google.com/tpu";
  if (shape.processes.size() + shape.init.size() > facts::max_tpu_containers)
    return "more than 16 containers ask for google.com/tpu; no host has that many chips";
  const auto differ = [](const read::Container* c) { return c->request_and_limit_differ(); };
  if (std::ranges::any_of(shape.processes, differ))
    return "request and limit of google.com/tpu differ, which the API server refuses";
  if (!shape.equal_chips) return "TPU containers of this Pod ask for different numbers of chips";
  return {};
}

// A host's processes share it on some generations; elsewhere the device plugin gives a container
// all chips of its node or none (docs/facts.md#all-chips-of-a-node), and two processes would share
// one port.
std::string shares_node(const facts::Shape& shape) {
  if (shape.processes.size() < 2 || topology::traits_of(shape.accelerator).shares_host()) return {};
  const std::string many =
      base::counted(shape.processes.size(), "container") + " of this Pod ask for google.com/tpu";
  if (topology::find_generation(shape.accelerator) == nullptr)
    return many + ", and nothing says that its nodes are of " +
           topology::labels_of([](const auto& each) {
             return each.traits.shares_host() && each.supported_by_gke();
           }) +
           ", where containers may share one";
  return many + "; on " + std::string(shape.accelerator) +
         " one container must ask for all chips of its node, and no other for any";
}

// A sub-slice has to fit into the slice that the node selector names
// (docs/facts.md#sub-slice-shapes); one that does not is ignored by the device plugin, which then
// describes the whole.
std::string sub_slice_misfit(const facts::Shape& shape, const Dims& dims) {
  if (shape.source != facts::TopologySource::sub_slice_annotation ||
      shape.selector_topology.empty())
    return {};
  const auto outer = Dims::parse(shape.selector_topology);
  if (outer && *outer == dims) return {};
  if (outer && dims.fits_in(*outer) && topology::is_sub_slice_shape(dims)) return {};
  return "annotation cloud.google.com/gke-tpu-slice-topology is " + dims.text() +
         ", which is not a sub-slice of the selected topology " +
         base::printable(shape.selector_topology);
}

// "; did you mean 2x4?", or the shapes that there are.
std::string other_topologies(const topology::Generation& generation,
                             const std::optional<Dims>& nearest, std::uint32_t chips_per_host) {
  if (nearest) return "; did you mean " + nearest->text() + "?";
  const std::string shapes = topology::legal_shapes(generation, chips_per_host);
  return shapes.empty()
             ? ""
             : "; with " + base::counted(chips_per_host, "chip") + " per node it has " + shapes;
}

// "4", "4 or 8"
std::string any_of(std::span<const std::uint32_t> numbers) {
  std::string out;
  for (const std::uint32_t& number : numbers)
    out += (out.empty() ? "" : " or ") + std::to_string(number);
  return out;
}

void note_unlisted(const topology::Slice& slice, outcome::Notes& notes) {
  const topology::Generation& generation = *slice.generation;
  const std::string label(generation.label), topology = slice.dims.text();
  std::array<std::uint32_t, 4> all{};
  const std::size_t count = topology::chips_per_vm_of(generation, slice.dims, all);
  if (count == 0)
    return notes.warn(
        Finding::topology_unlisted,
        "the catalog has no topology " + topology + " for " + label +
            other_topologies(generation, topology::nearest_topology(generation, slice.dims),
                             slice.chips_per_host));
  notes.warn(Finding::node_shared,
             "the Pod asks for " + base::counted(slice.chips_per_host, "chip") + ", but nodes of " +
                 label + " with topology " + topology + " have " +
                 any_of(std::span(all).first(count)) + "; ask for all chips of a node");
}

void note_catalog(const topology::Slice& slice, outcome::Notes& notes) {
  if (slice.accelerator.empty() || slice.in_catalog) return;
  if (slice.generation != nullptr) return note_unlisted(slice, notes);
  const topology::Generation* nearest = topology::nearest_accelerator(slice.accelerator);
  notes.warn(Finding::accelerator_unknown,
             "the catalog has no accelerator " + base::printable(slice.accelerator) +
                 (nearest == nullptr ? "; by arithmetic " + hosts_of(slice)
                                     : "; did you mean " + std::string(nearest->label) + "?"));
}

// What the label should have been, where the text can be read as an accelerator type.
Error malformed(const facts::Shape& shape, Error error) {
  if (base::has_placeholder(shape.topology)) return not_filled_in("topology", shape.topology);
  const topology::Generation* generation = topology::find_generation(shape.accelerator);
  if (generation == nullptr) return error;
  const auto nearest = topology::nearest_topology(*generation, shape.topology);
  return nearest ? Error(error.code(), error.message() + "; did you mean " + nearest->text() + "?")
                 : error;
}

SliceOrDecision slice_of_hosts(const facts::Shape& shape, std::uint32_t hosts) {
  const auto slice = topology::slice_of_hosts(shape.accelerator, hosts, shape.chips_per_container(),
                                              static_cast<std::uint32_t>(shape.processes.size()));
  if (!slice) return outcome::deny(outcome::Reason::bad_index, slice.error());
  return *slice;
}

// Of as many hosts as the user says.
SliceOrDecision slice_of_count(const facts::Shape& shape, const workloads::IndexLabel& count,
                               outcome::Notes& notes) {
  if (!count.present())
    return outcome::leave_alone(
        Finding::topology_missing, outcome::Reason::no_topology,
        "no single TPU topology is selected (cloud.google.com/gke-tpu-topology), so "
        "the hosts of the slice are not known",
        notes);
  const auto hosts = base::plain_decimal(count.text);
  if (!hosts || *hosts == 0 || *hosts > Dims::max_product)
    return outcome::deny(
        outcome::Reason::bad_index,
        Error(findings::Errc::index_out_of_range,
              std::string(count.key) + " is " + base::printable(count.text) +
                  ", expected a whole number from 1 to " + std::to_string(Dims::max_product)));
  return slice_of_hosts(shape, *hosts);
}

// KubeRay makes so many Pods for a slice, whatever nodes a ComputeClass finds for them. 0 where
// that is not known, and where the Pod says itself how many hosts there are or not which it is.
std::uint32_t hosts_of_group(const workloads::Member& member, std::string_view ns,
                             const read::ClusterView& cluster) {
  if (member.workload != config::WorkloadKind::ray || member.worker_count.present() ||
      member.needs_place || !member.host.present())
    return 0;
  const auto group = cluster.ray_group(ns, member.group, member.part);
  return group && group->hosts <= Dims::max_product ? group->hosts : 0;
}

SliceOrDecision slice_of_topology(const facts::Shape& shape, KeptSlice& kept,
                                  outcome::Notes& notes) {
  const bool whole = shape.source != facts::TopologySource::sub_slice_annotation;
  if (const topology::Slice* same = whole ? kept.find(shape) : nullptr) return *same;
  const auto dims = Dims::parse(shape.topology);
  if (!dims) {
    // GKE's device plugin passes over a sub-slice it cannot read.
    if (shape.source == facts::TopologySource::sub_slice_annotation ||
        shape.source == facts::TopologySource::slice_id_key)
      return outcome::leave_alone(Finding::sub_slice_misfit, outcome::Reason::inconsistent,
                                  dims.error().message(), notes);
    return outcome::deny(outcome::Reason::bad_topology, malformed(shape, dims.error()));
  }
  if (auto misfit = sub_slice_misfit(shape, *dims); !misfit.empty())
    return outcome::leave_alone(Finding::sub_slice_misfit, outcome::Reason::inconsistent,
                                std::move(misfit), notes);
  const auto slice = topology::make_slice({shape.accelerator, *dims, shape.chips_per_container(),
                                           static_cast<std::uint32_t>(shape.processes.size())});
  if (!slice) return outcome::deny(outcome::Reason::bad_topology, slice.error());
  note_catalog(*slice, notes);
  kept.keep(shape, *slice);
  return *slice;
}

}  // namespace

const topology::Slice* KeptSlice::find(const facts::Shape& shape) const {
  const bool same = topology_ == shape.topology && accelerator_ == shape.accelerator &&
                    chips_per_container_ == shape.chips_per_container() &&
                    containers_ == shape.processes.size();
  return same ? &slice_ : nullptr;
}

void KeptSlice::keep(const facts::Shape& shape, const topology::Slice& slice) {
  if (!slice.in_catalog) return;
  topology_.clear();  // finds nothing, should there be no memory for the next line
  accelerator_ = shape.accelerator;
  chips_per_container_ = shape.chips_per_container();
  containers_ = shape.processes.size();
  slice_ = slice;
  topology_ = shape.topology;
}

SliceOrDecision slice_of(const facts::Shape& shape, const workloads::Member& member,
                         std::string_view ns, const read::ClusterView& cluster, KeptSlice& kept,
                         outcome::Notes& notes) {
  if (const auto odd = odd_shape(shape); !odd.empty())
    return outcome::leave_alone(Finding::containers_differ, outcome::Reason::inconsistent,
                                std::string(odd), notes);
  if (auto shared = shares_node(shape); !shared.empty())
    return outcome::leave_alone(Finding::containers_differ, outcome::Reason::inconsistent,
                                std::move(shared), notes);
  if (!shape.topology.empty()) return slice_of_topology(shape, kept, notes);
  if (const std::uint32_t hosts = shape.class_chooses ? hosts_of_group(member, ns, cluster) : 0)
    return slice_of_hosts(shape, hosts);
  return slice_of_count(shape, member.worker_count, notes);
}

}  // namespace tpuwh::webhook::identity
