#include "webhook/identity/pod_slice.hpp"

#include "webhook/identity/contradictions.hpp"
#include "webhook/text/names.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace tpuwh::webhook::identity {

namespace {

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
         text::printable(shape.selector_topology);
}

void note_catalog(const topology::Slice& slice, outcome::Notes& notes) {
  if (slice.accelerator.empty()) return;
  if (slice.generation == nullptr)
    notes.warn("accelerator " + text::printable(slice.accelerator) +
               " is not in this release's catalog; " + hosts_of(slice) + " by arithmetic");
  else if (!slice.in_catalog)
    notes.warn("the catalog does not list " + slice.dims.text() + " with " +
               std::to_string(slice.chips_per_host) + " chips per node for " +
               std::string(slice.accelerator) + "; computed by arithmetic");
}

// Of as many hosts as the user says.
SliceOrDecision slice_of_count(const facts::Shape& shape, const workloads::IndexLabel& count,
                               outcome::Notes& notes) {
  if (!count.present())
    return outcome::leave_alone(
        outcome::Reason::no_topology,
        "no single TPU topology is selected (cloud.google.com/gke-tpu-topology), so "
        "the hosts of the slice are not known",
        notes);
  const auto hosts = text::plain_decimal(count.text);
  if (!hosts || *hosts == 0 || *hosts > Dims::max_product)
    return outcome::deny(
        outcome::Reason::bad_index,
        Error(Errc::index_out_of_range,
              std::string(count.key) + " is " + text::printable(count.text) +
                  ", expected a whole number from 1 to " + std::to_string(Dims::max_product)));
  const auto slice =
      topology::slice_of_hosts(shape.accelerator, *hosts, shape.chips_per_container(),
                               static_cast<std::uint32_t>(shape.processes.size()));
  if (!slice) return outcome::deny(outcome::Reason::bad_index, slice.error());
  return *slice;
}

SliceOrDecision slice_of_topology(const facts::Shape& shape, outcome::Notes& notes) {
  const auto dims = Dims::parse(shape.topology);
  if (!dims) {
    // GKE's device plugin passes over a sub-slice it cannot read.
    if (shape.source == facts::TopologySource::sub_slice_annotation ||
        shape.source == facts::TopologySource::slice_id_key)
      return outcome::leave_alone(outcome::Reason::inconsistent, dims.error().message(), notes);
    return outcome::deny(outcome::Reason::bad_topology, dims.error());
  }
  if (auto misfit = sub_slice_misfit(shape, *dims); !misfit.empty())
    return outcome::leave_alone(outcome::Reason::inconsistent, std::move(misfit), notes);
  const auto slice = topology::make_slice({shape.accelerator, *dims, shape.chips_per_container(),
                                           static_cast<std::uint32_t>(shape.processes.size())});
  if (!slice) return outcome::deny(outcome::Reason::bad_topology, slice.error());
  note_catalog(*slice, notes);
  return *slice;
}

}  // namespace

SliceOrDecision slice_of(const facts::Shape& shape, const workloads::Member& member,
                         outcome::Notes& notes) {
  if (const auto odd = odd_shape(shape); !odd.empty())
    return outcome::leave_alone(outcome::Reason::inconsistent, std::string(odd), notes);
  return shape.topology.empty() ? slice_of_count(shape, member.worker_count, notes)
                                : slice_of_topology(shape, notes);
}

}  // namespace tpuwh::webhook::identity
