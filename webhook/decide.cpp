#include "webhook/decide.hpp"

#include "webhook/names.hpp"
#include "webhook/workloads/table.hpp"

#include <algorithm>
#include <charconv>

namespace tpuwh::webhook {

namespace {

using topology::Dims;

Decision unchanged(Reason reason) {
  return {.outcome = Outcome::unchanged, .reason = reason};
}
Decision deny(Reason reason, Error why) {
  return {.outcome = Outcome::denied, .reason = reason, .denial = std::move(why)};
}

// Says why nothing was done, and does nothing.
Decision leave_alone(Reason reason, std::string why, Scratch& scratch) {
  scratch.notes.warn(std::move(why));
  return unchanged(reason);
}

std::string hosts_of(const topology::Slice& slice) {
  return slice.dims.text() + " with " + std::to_string(slice.chips_per_host) +
         " chips per Pod has " + std::to_string(slice.hosts) +
         (slice.hosts == 1 ? " host" : " hosts");
}

// An index as its owner wrote it, below `bound`; `because` makes the sentence that
// says where the bound comes from.
template <class Because>
Result<std::uint32_t> index_below(const IndexLabel& index, std::uint32_t bound, Because&& because) {
  const auto value = plain_decimal(index.text);
  if (value && *value < bound) return *value;
  return Error(Errc::index_out_of_range, std::string(index.key) + " is \"" + printable(index.text) +
                                             "\", expected a plain decimal from 0 to " +
                                             std::to_string(bound - 1) + ": " + because());
}

// ---- shape

// Nothing sensible can be made of several sizes in one Pod, or of a topology that
// does not say what it means; the Pod is left as it is.
std::string_view odd_shape(const Shape& shape) {
  if (shape.processes.empty())
    return "only init containers ask for google.com/tpu; nothing was injected";
  if (shape.processes.size() + shape.init.size() > max_tpu_containers)
    return "more than 16 containers ask for google.com/tpu, and no host has so many chips; nothing "
           "was injected";
  const auto differ = [](const Container* c) { return c->request_and_limit_differ(); };
  if (std::ranges::any_of(shape.processes, differ))
    return "request and limit of google.com/tpu differ, which the API server refuses; nothing was "
           "injected";
  if (!shape.equal_chips)
    return "TPU containers of this Pod ask for different numbers of chips; nothing was injected";
  return {};
}

// A sub-slice has to fit into the slice that the node selector names (R19); one
// that does not is ignored by the device plugin, which then describes the whole.
std::string sub_slice_misfit(const Shape& shape, const Dims& dims) {
  if (shape.source != TopologySource::sub_slice_annotation || shape.selector_topology.empty())
    return {};
  const auto outer = Dims::parse(shape.selector_topology);
  if (outer && *outer == dims) return {};
  if (outer && dims.fits_in(*outer) && topology::is_sub_slice_shape(dims)) return {};
  return "annotation cloud.google.com/gke-tpu-slice-topology is " + dims.text() +
         ", which is no sub-slice of the selected topology " + printable(shape.selector_topology) +
         "; nothing was injected";
}

void note_catalog(const topology::Slice& slice, Notes& notes) {
  if (slice.accelerator.empty()) return;
  if (slice.generation == nullptr)
    notes.warn("accelerator " + printable(slice.accelerator) +
               " is not in this release's catalog; " + hosts_of(slice) + " by arithmetic");
  else if (!slice.in_catalog)
    notes.warn("the catalog does not list " + slice.dims.text() + " with " +
               std::to_string(slice.chips_per_host) + " chips per node for " +
               std::string(slice.accelerator) + "; computed by arithmetic");
}

// ---- names

// Host names become DNS names and stand in every member's lists.
Result<void> check_names(const Facts& facts, Buffer& text) {
  const Member& member = *facts.member;
  text.clear();
  member.names.append(text, facts.slice_index, facts.slice.hosts - 1);
  const std::string_view longest = text.view();
  if (longest.size() > max_label_length)
    return Error(Errc::name_too_long, "host name " + printable(longest, 100) + " has " +
                                          std::to_string(longest.size()) +
                                          " characters, a DNS label takes 63; shorten the name of "
                                          "the workload or its group");
  if (!is_dns_label(longest))
    return Error(Errc::bad_name, "host name " + printable(longest, 100) +
                                     " is no DNS label: lower-case letters, digits and inner "
                                     "dashes only");
  if (member.subdomain.size() > max_label_length)
    return Error(Errc::name_too_long,
                 "subdomain " + printable(member.subdomain, 100) + " has " +
                     std::to_string(member.subdomain.size()) +
                     " characters, a DNS label takes 63; shorten the name of the workload");
  if (!is_dns_label(member.subdomain))
    return Error(Errc::bad_name, "subdomain " + printable(member.subdomain, 100) +
                                     " is no DNS label, so no host of the slice would resolve");
  return {};
}

void note_resolving(const Pod& pod, Notes& notes) {
  if (!pod.hostname_override.empty())
    notes.warn(
        "spec.hostnameOverride takes the Pod's DNS name away; other hosts of the slice will "
        "not find it");
  if (pod.dns_policy == "Default" || pod.dns_policy == "None")
    notes.warn("dnsPolicy " + printable(pod.dns_policy) +
               " has no cluster search path; the host names of the slice will not resolve");
  else if (pod.host_network && pod.dns_policy != "ClusterFirstWithHostNet")
    notes.warn(
        "hostNetwork without dnsPolicy: ClusterFirstWithHostNet; the host names of the slice "
        "will not resolve");
}

// The Pod's own name has to be the one that its index gives, else the entry of the
// lists is somebody else.
std::string wrong_hostname(const Facts& facts, Buffer& text) {
  text.clear();
  facts.member->names.append(text, facts.slice_index, facts.host);
  if (facts.pod->hostname.empty() || facts.pod->hostname == text.view()) return {};
  return "spec.hostname is " + printable(facts.pod->hostname) + ", by its labels the Pod is " +
         printable(text.view()) + "; nothing was injected";
}

// ---- identity

bool any_joins(const Facts& facts) {
  return std::ranges::any_of(facts.shape->processes,
                             [&](const Container* c) { return joins_slices(facts, *c); });
}

// How many slices the user says form one job.
std::uint32_t literal_slice_count(const Facts& facts) {
  const EnvEntry* entry =
      facts.pod->entry(*facts.shape->processes.front(), Variable::megascale_num_slices);
  if (entry == nullptr || entry->source != EnvSource::literal) return 0;
  return plain_decimal(entry->value).value_or(0);
}

std::string slices_of(const Facts& facts) {
  return "the job has " + std::to_string(facts.slice_count) +
         (facts.slice_count == 1 ? " slice" : " slices");
}

Result<void> settle_slices(Facts& facts) {
  const Member& member = *facts.member;
  constexpr std::uint32_t unbounded = 0xffffffffu;
  if (member.slice_count.present()) {
    const auto count = index_below(member.slice_count, unbounded,
                                   [] { return std::string("a number of slices"); });
    if (!count) return count.error();
    facts.slice_count = *count;
  } else if (facts.ray() || member.names.numbered) {
    facts.slice_count = literal_slice_count(facts);
  }
  if (member.slice.key.empty()) return {};
  const bool own_count = facts.slice_count > 0 && !member.group_slice.present();
  const auto index = index_below(member.slice, own_count ? facts.slice_count : unbounded, [&] {
    return own_count ? slices_of(facts) : "an index of a slice";
  });
  if (!index) return index.error();
  facts.slice_index = facts.job_slice = *index;
  facts.sliced = true;
  if (!member.group_slice.present()) return {};
  const auto in_group = index_below(member.group_slice, std::max(facts.slice_count, 1u),
                                    [&] { return slices_of(facts); });
  if (!in_group) return in_group.error();
  facts.job_slice = *in_group;
  return {};
}

// The owner says how many members a group has and how many of them are a slice; a slice
// of another number of hosts cannot be made of them (D17).
std::string group_misfit(const Facts& facts) {
  const Member& member = *facts.member;
  if (!facts.slice.multi_host() || member.group_size.key.empty()) return {};
  const auto size = plain_decimal(member.group_size.text);
  const std::string_view slice_text =
      member.subgroup_size.present() ? member.subgroup_size.text : member.group_size.text;
  const auto slice_size = plain_decimal(slice_text);
  if (!size || !slice_size || *size == 0 || *slice_size == 0)
    return std::string(member.kind) + ' ' + std::string(member.group) + ": group size " +
           printable(member.group_size.text) + " and subgroup size " + printable(slice_text) +
           " are not both plain decimals above 0; nothing was injected";
  const std::uint32_t members = *size - member.names.first;
  const bool subgroups = member.subgroup_size.present();
  const std::uint32_t hosts = subgroups ? *slice_size : members;
  const std::string leader =
      member.names.first > 0 ? " without its leader, which is not in a slice," : "";
  if (subgroups && members % hosts != 0)
    return "a group of " + std::to_string(*size) + leader + " cannot be split into subgroups of " +
           std::to_string(hosts) + "; nothing was injected";
  if (hosts == facts.slice.hosts) return {};
  return std::string(subgroups ? "a subgroup" : "a group of " + std::to_string(*size)) + leader +
         " has " + std::to_string(hosts) + " members, but " + hosts_of(facts.slice) +
         "; nothing was injected";
}

// Slice and host of a number that counts through all slices of the group.
Result<void> settle_number(Facts& facts, Member& member) {
  constexpr std::uint32_t unbounded = 0x7fffffffu;  // ordinals are int32
  const auto size = plain_decimal(member.group_size.text);
  const auto number = index_below(member.host, size.value_or(unbounded), [&] {
    return size ? "the group has " + std::to_string(*size) + " members" : std::string("an ordinal");
  });
  if (!number) return number.error();
  const std::uint32_t first = member.names.first;
  if (*number < first)
    return Error(Errc::index_out_of_range, std::string(member.host.key) + " is " +
                                               std::to_string(*number) + ", expected " +
                                               std::to_string(first) + " or more");
  member.names.stride = facts.slice.hosts;
  facts.host = (*number - first) % facts.slice.hosts;
  facts.slice_index = facts.job_slice = (*number - first) / facts.slice.hosts;
  facts.sliced = member.slice_in_key;
  if (facts.slice_count > 0 && facts.sliced && facts.slice_index >= facts.slice_count)
    return Error(Errc::index_out_of_range,
                 std::string(member.host.key) + " is " + std::to_string(*number) +
                     ", which is a host of slice " + std::to_string(facts.slice_index) + ": " +
                     slices_of(facts));
  if (!member.slice_in_key) return {};
  char* const begin = facts.slice_digits.data();
  const char* const end =
      std::to_chars(begin, begin + facts.slice_digits.size(), facts.slice_index).ptr;
  member.key_parts.back() = {begin, static_cast<std::size_t>(end - begin)};
  return {};
}

Result<void> settle_host(Facts& facts) {
  facts.placed = true;
  if (facts.member->names.numbered) return {};  // settled with its slice
  if (!facts.slice.multi_host()) return {};     // its completion index means nothing
  const auto host =
      index_below(facts.member->host, facts.slice.hosts, [&] { return hosts_of(facts.slice); });
  if (!host) return host.error();
  facts.host = *host;
  return {};
}

// ---- what is written

Facts& begin_facts(const Pod& pod, std::string_view ns, const topology::Slice& slice,
                   Scratch& scratch) {
  scratch.facts = Facts();
  scratch.facts.pod = &pod;
  scratch.facts.shape = &scratch.shape;
  scratch.facts.member = &scratch.member;
  scratch.before.parse(pod.annotation(Annotation::injected));
  scratch.facts.before = &scratch.before;
  scratch.facts.ns = ns;
  scratch.facts.slice = slice;
  return scratch.facts;
}

// Words for `kubectl describe`: which member of which slice this is.
void describe(const Facts& facts, Buffer& out) {
  const Member& member = *facts.member;
  const topology::Slice& slice = facts.slice;
  out.clear();
  out.add(std::string_view("host "), facts.host, std::string_view(" of "), slice.hosts);
  if (facts.sliced) {
    out.add(std::string_view(", slice "), facts.job_slice);
    if (facts.slice_count > 0) out.add(std::string_view(" of "), facts.slice_count);
  }
  out.add(std::string_view(", "), member.kind, ' ', member.group);
  if (!member.part.empty()) out.add('/', member.part);
  out.add(std::string_view(": "), slice.dims.axis(0), 'x', slice.dims.axis(1));
  if (slice.dims.rank() == 3) out.add('x', slice.dims.axis(2));
  if (!slice.accelerator.empty()) out.add(std::string_view(" of "), slice.accelerator);
  out.add(std::string_view(", "), slice.chips_per_host, std::string_view(" chips per host"));
}

// Each TPU container with the number of the process whose values it gets.
template <class F>
void for_each_container(const Facts& facts, F&& f) {
  const Shape& shape = *facts.shape;
  for (std::uint32_t i = 0; i < shape.processes.size(); ++i) f(*shape.processes[i], i);
  // An init container runs before the processes and is none of them; with one
  // process a host it stands in its place.
  if (shape.processes.size() != 1) return;
  for (const Container* init : shape.init)
    if (init->chips() == shape.processes.front()->chips()) f(*init, 0u);
}

Digest inputs_of(Scratch& scratch) {
  const Facts& facts = scratch.facts;
  const Member& member = *facts.member;
  Digester inputs;
  inputs.add(std::uint64_t{facts.host} << 32 | facts.slice.hosts)
      .add(std::uint64_t{facts.slice_index} << 32 | facts.job_slice)
      .add(std::uint64_t{facts.slice_count} << 32 | facts.slice.processes)
      .add(std::uint64_t{facts.named} << 32 | facts.slice.chips_per_host)
      .add(facts.slice.accelerator)
      .add(member.names.stem)
      .add(member.names.stem2)
      .add(member.subdomain);
  if (member.names.numbered) inputs.add(std::uint64_t{member.names.first});
  for_each_container(facts, [&](const Container& container, std::uint32_t process) {
    inputs.add(container.name);
    want(facts, scratch.values, container, process, scratch.wanted);
    add_theirs(facts, container, scratch.wanted, scratch.before, inputs);
  });
  return inputs.digest();
}

void write_env(Scratch& scratch) {
  const Facts& facts = scratch.facts;
  scratch.after.clear();
  const Digest inputs = inputs_of(scratch);
  bool lost = false;
  for_each_container(facts, [&](const Container& container, std::uint32_t) {
    lost = lost || lost_variable(*facts.pod, container, scratch.before);
  });
  const bool frozen = scratch.before.foreign() || (scratch.before.has_inputs(inputs) && !lost);
  for_each_container(facts, [&](const Container& container, std::uint32_t process) {
    want(facts, scratch.values, container, process, scratch.wanted);
    reconcile(facts, container, scratch.wanted, scratch.before, frozen, scratch.patch,
              scratch.after, scratch.notes);
  });
  scratch.after.set_inputs(inputs);
  scratch.frozen = frozen;
}

void write_annotation(Scratch& scratch, Annotation which, Surface row, std::string_view value) {
  const auto& present = scratch.facts.pod->annotation_values[static_cast<std::size_t>(which)];
  if (present && *present == value) return;
  scratch.patch.begin(present ? PatchOp::replace : PatchOp::add, row,
                      std::string_view("/metadata/annotations/"), scratch.patch.escaped_prefix(),
                      annotation_keys[static_cast<std::size_t>(which)].text);
  append_json_string(scratch.patch.json(), value);
  scratch.patch.end();
}

void make_map(Patch& patch, Surface row, std::string_view path) {
  patch.begin(PatchOp::add, row, path);
  patch.json().append(std::string_view("{}"));
  patch.end();
}

// A record with nothing in it says so: without one, what the user set just as we
// would would be taken for ours the next time.
void write_annotations(Scratch& scratch) {
  const bool record = !scratch.after.empty() || !scratch.before.empty();
  if (scratch.frozen || (!record && !scratch.facts.slice.multi_host())) return;
  if (scratch.facts.pod->annotations == Presence::absent)
    make_map(scratch.patch, Surface::annotations, "/metadata/annotations");
  scratch.text.clear();
  scratch.after.append_to(scratch.text);
  write_annotation(scratch, Annotation::injected, Surface::annotation_injected,
                   scratch.text.view());
  write_annotation(scratch, Annotation::slice, Surface::annotation_slice,
                   scratch.description.view());
}

void write_text(Patch& patch, Surface row, std::string_view path, std::string_view value) {
  patch.begin(PatchOp::add, row, path);
  append_json_string(patch.json(), value);
  patch.end();
}

void write_names(Scratch& scratch) {
  const Facts& facts = scratch.facts;
  if (!facts.member->gives_names || !facts.named) return;
  if (facts.pod->hostname.empty()) {
    scratch.text.clear();
    facts.member->names.append(scratch.text, facts.slice_index, facts.host);
    write_text(scratch.patch, Surface::hostname, "/spec/hostname", scratch.text.view());
  }
  if (facts.pod->subdomain.empty())
    write_text(scratch.patch, Surface::subdomain, "/spec/subdomain", facts.member->subdomain);
}

// Ray's autoscaler scales the hosts of a slice as one by this label.
void write_replica_label(Scratch& scratch) {
  const Facts& facts = scratch.facts;
  if (!facts.ray()) return;
  const std::string_view name = scratch.values.tpu_name.view();
  const std::string_view present = facts.pod->label(Label::replica_index);
  if (present.empty())
    write_text(scratch.patch, Surface::label_replica_index, "/metadata/labels/replicaIndex", name);
  else if (present != name)
    scratch.notes.warn("label replicaIndex is " + printable(present) +
                       " and stays; by KubeRay's labels it is " + printable(name));
}

void write_labels(Scratch& scratch, const Config& config) {
  const auto placement = plan_placement(scratch.facts, config, scratch.notes);
  if ((placement || scratch.facts.ray()) && scratch.facts.pod->labels == Presence::absent)
    make_map(scratch.patch, Surface::labels, "/metadata/labels");
  write_replica_label(scratch);
  if (placement) write_placement(scratch.facts, config, *placement, scratch.patch);
}

// ---- the order of it all

Decision write_everything(const Config& config, Scratch& scratch) {
  const Facts& facts = scratch.facts;
  if (auto built = build_values(facts, config, scratch.values); !built)
    return deny(Reason::too_long, built.error());
  if (!scratch.values.tpu_name.empty() && !is_label_value(scratch.values.tpu_name.view()))
    return deny(
        Reason::bad_name,
        Error(Errc::bad_name, "slice name " + printable(scratch.values.tpu_name.view(), 100) +
                                  " is no label value of at most 63 characters; Ray makes "
                                  "a node label of it"));
  if (scratch.values.ports_unreadable)
    scratch.notes.warn(
        "TPU_PROCESS_PORT is no plain port number, so TPU_PROCESS_ADDRESSES was not "
        "injected");
  if (scratch.values.same_port)
    scratch.notes.warn(
        "two TPU containers of this Pod have the same TPU_PROCESS_PORT; only one of them can "
        "listen on it");
  write_env(scratch);
  write_names(scratch);
  write_labels(scratch, config);
  const bool relevant =
      facts.slice.multi_host() || !scratch.after.empty() || !scratch.patch.empty();
  write_annotations(scratch);
  if (scratch.patch.undeclared())
    return {.outcome = Outcome::failed, .reason = Reason::internal_error};
  if (!scratch.patch.empty()) return {.outcome = Outcome::patched, .reason = Reason::injected};
  return unchanged(relevant ? Reason::already_done : Reason::single_host);
}

Decision no_subdomain(const Config& config, Scratch& scratch) {
  scratch.notes.warn("the Pod has no spec.subdomain, so the " +
                     std::to_string(scratch.facts.slice.hosts) +
                     " hosts of the slice have no DNS names; set it to a headless Service");
  Decision decision = write_everything(config, scratch);
  if (decision.outcome == Outcome::unchanged) decision.reason = Reason::no_subdomain;
  return decision;
}

Decision decide_member(const Config& config, Scratch& scratch) {
  Facts& facts = scratch.facts;
  const Member& member = scratch.member;
  const bool multi_host = facts.slice.multi_host();
  const bool sliced = multi_host || facts.ray() || any_joins(facts);
  if (sliced && !member.incomplete.empty())
    return leave_alone(Reason::no_identity,
                       std::string(member.incomplete) + "; nothing was injected", scratch);
  if (auto settled = settle_slices(facts); !settled) {
    if (sliced) return deny(Reason::bad_index, settled.error());
    facts.slice_count = 0;  // a slice of its own, whatever its labels say
  }
  if (member.names.numbered && member.host.present()) {
    if (auto misfit = group_misfit(facts); !misfit.empty())
      return leave_alone(Reason::inconsistent, std::move(misfit), scratch);
    if (auto settled = settle_number(facts, scratch.member); !settled)
      return deny(Reason::bad_index, settled.error());
  }
  if (multi_host && !member.host.present())
    return leave_alone(Reason::no_identity,
                       "label " + std::string(member.host.key) + " is missing or empty, and " +
                           hosts_of(facts.slice) + "; nothing was injected",
                       scratch);
  if (auto settled = settle_host(facts); !settled) return deny(Reason::bad_index, settled.error());
  describe(facts, scratch.description);
  if (!multi_host && !any_joins(facts)) return write_everything(config, scratch);

  if (!multi_host || !member.subdomain.empty()) {
    if (member.subdomain.empty()) return write_everything(config, scratch);
    if (auto named = check_names(facts, scratch.text); !named)
      return deny(Reason::bad_name, named.error());
    if (auto wrong = wrong_hostname(facts, scratch.text); !wrong.empty())
      return leave_alone(Reason::inconsistent, std::move(wrong), scratch);
    note_resolving(*facts.pod, scratch.notes);
    facts.named = true;
    return write_everything(config, scratch);
  }
  return no_subdomain(config, scratch);
}

Decision decide_shape(const Pod& pod, std::string_view ns, const Config& config, Scratch& scratch) {
  const Shape& shape = scratch.shape;
  if (const auto odd = odd_shape(shape); !odd.empty())
    return leave_alone(Reason::inconsistent, std::string(odd), scratch);
  if (shape.topology.empty())
    return leave_alone(Reason::no_topology,
                       "no single TPU topology is selected (cloud.google.com/gke-tpu-topology), so "
                       "the hosts of the slice are not known; nothing was injected",
                       scratch);
  const auto dims = Dims::parse(shape.topology);
  if (!dims) {
    // GKE's device plugin passes over a sub-slice it cannot read.
    if (shape.source == TopologySource::sub_slice_annotation ||
        shape.source == TopologySource::slice_id_key)
      return leave_alone(Reason::inconsistent, dims.error().message() + "; nothing was injected",
                         scratch);
    return deny(Reason::bad_topology, dims.error());
  }
  if (auto misfit = sub_slice_misfit(shape, *dims); !misfit.empty())
    return leave_alone(Reason::inconsistent, std::move(misfit), scratch);
  const auto slice = topology::make_slice({shape.accelerator, *dims, shape.chips_per_container(),
                                           static_cast<std::uint32_t>(shape.processes.size())});
  if (!slice) return deny(Reason::bad_topology, slice.error());
  note_catalog(*slice, scratch.notes);
  begin_facts(pod, ns, *slice, scratch);
  return decide_member(config, scratch);
}

void begin(const Config& config, Scratch& scratch) {
  scratch.notes.clear();
  scratch.description.clear();
  scratch.frozen = false;
  scratch.facts = Facts();
  scratch.patch.clear(config.prefix);
}

}  // namespace

Decision deny_quantity(Error why, const Config& config, Scratch& scratch) {
  begin(config, scratch);
  return deny(Reason::bad_quantity, std::move(why));
}

void note_shadow(Decision& decision, Scratch& scratch) {
  decision.shadow = true;
  if (decision.outcome == Outcome::denied)
    scratch.notes.warn("shadow mode: this Pod would have been refused: " +
                       std::string(decision.denial.text()));
  if (decision.outcome == Outcome::patched)
    scratch.notes.warn("shadow mode: this Pod would have been patched as " +
                       std::string(scratch.description.view()) + "; it was left as it is");
}

Decision decide(const Review& review, const Pod& pod, const Config& config,
                const ClusterView& cluster, Scratch& scratch) {
  begin(config, scratch);
  if (!review.is_pod_creation()) return unchanged(Reason::not_a_pod);
  if (!read_shape(pod, scratch.shape)) return unchanged(Reason::no_tpu);
  if (pod.annotation(Annotation::inject) == "false") return unchanged(Reason::opted_out);

  const std::string_view ns = review.ns.empty() ? pod.ns : review.ns;
  const Workload& workload = workload_of(pod);
  if (!config.workloads.has(workload.kind))
    return {.reason = Reason::switched_off, .workload = workload.name};
  scratch.member = Member();
  scratch.member.workload = workload.kind;
  workload.identify({pod, ns, config, cluster, scratch.service}, scratch.member);
  Decision decision = decide_shape(pod, ns, config, scratch);
  decision.workload = workload.name;
  return decision;
}

}  // namespace tpuwh::webhook
