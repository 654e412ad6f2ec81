#include "webhook/decide/decide.hpp"

#include "webhook/decide/identity.hpp"
#include "webhook/text/names.hpp"
#include "webhook/workloads/annotations.hpp"
#include "webhook/workloads/table.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace tpuwh::webhook::decide {

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

// ---- shape

// Nothing sensible can be made of several sizes in one Pod, or of a topology that
// does not say what it means; the Pod is left as it is.
std::string_view odd_shape(const Shape& shape) {
  if (shape.processes.empty())
    return "only init containers ask for google.com/tpu; nothing was injected";
  if (shape.processes.size() + shape.init.size() > max_tpu_containers)
    return "more than 16 containers ask for google.com/tpu, and no host has so many chips; nothing "
           "was injected";
  const auto differ = [](const read::Container* c) { return c->request_and_limit_differ(); };
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
         ", which is no sub-slice of the selected topology " +
         text::printable(shape.selector_topology) + "; nothing was injected";
}

void note_catalog(const topology::Slice& slice, Notes& notes) {
  if (slice.accelerator.empty()) return;
  if (slice.generation == nullptr)
    notes.warn("accelerator " + text::printable(slice.accelerator) +
               " is not in this release's catalog; " + hosts_of(slice) + " by arithmetic");
  else if (!slice.in_catalog)
    notes.warn("the catalog does not list " + slice.dims.text() + " with " +
               std::to_string(slice.chips_per_host) + " chips per node for " +
               std::string(slice.accelerator) + "; computed by arithmetic");
}

// ---- names

// Host names become DNS names and stand in every member's lists.
Result<void> check_names(const Facts& facts, text::Buffer& text) {
  const workloads::Member& member = *facts.member;
  text.clear();
  member.names.append(text, facts.slice_index, facts.slice.hosts - 1);
  const std::string_view longest = text.view();
  if (longest.size() > text::max_label_length)
    return Error(Errc::name_too_long, "host name " + text::printable(longest, 100) + " has " +
                                          std::to_string(longest.size()) +
                                          " characters, a DNS label takes 63; shorten the name of "
                                          "the workload or its group");
  if (!text::is_dns_label(longest))
    return Error(Errc::bad_name, "host name " + text::printable(longest, 100) +
                                     " is no DNS label: lower-case letters, digits and inner "
                                     "dashes only");
  if (member.subdomain.size() > text::max_label_length)
    return Error(Errc::name_too_long,
                 "subdomain " + text::printable(member.subdomain, 100) + " has " +
                     std::to_string(member.subdomain.size()) +
                     " characters, a DNS label takes 63; shorten the name of the workload");
  if (!text::is_dns_label(member.subdomain))
    return Error(Errc::bad_name, "subdomain " + text::printable(member.subdomain, 100) +
                                     " is no DNS label, so no host of the slice would resolve");
  return {};
}

void note_resolving(const read::Pod& pod, Notes& notes) {
  if (!pod.hostname_override.empty())
    notes.warn(
        "spec.hostnameOverride takes the Pod's DNS name away; other hosts of the slice will "
        "not find it");
  if (pod.dns_policy == "Default" || pod.dns_policy == "None")
    notes.warn("dnsPolicy " + text::printable(pod.dns_policy) +
               " has no cluster search path; the host names of the slice will not resolve");
  else if (pod.host_network && pod.dns_policy != "ClusterFirstWithHostNet")
    notes.warn(
        "hostNetwork without dnsPolicy: ClusterFirstWithHostNet; the host names of the slice "
        "will not resolve");
}

// The Pod's own name has to be the one that its index gives, else the entry of the
// lists is somebody else.
std::string wrong_hostname(const Facts& facts, text::Buffer& text) {
  text.clear();
  facts.member->names.append(text, facts.slice_index, facts.host);
  if (facts.pod->hostname.empty() || facts.pod->hostname == text.view()) return {};
  if (facts.copied()) return {};  // written for the Pod it was copied from
  return "spec.hostname is " + text::printable(facts.pod->hostname) +
         ", by its labels the Pod is " + text::printable(text.view()) + "; nothing was injected";
}

// ---- what is written

Facts& begin_facts(const read::Pod& pod, std::string_view ns, const topology::Slice& slice,
                   Scratch& scratch) {
  scratch.facts = Facts();
  scratch.facts.pod = &pod;
  scratch.facts.shape = &scratch.shape;
  scratch.facts.member = &scratch.member;
  scratch.before.parse(pod.annotation(read::Annotation::injected));
  scratch.facts.before = &scratch.before;
  scratch.facts.ns = ns;
  scratch.facts.slice = slice;
  return scratch.facts;
}

// Words for `kubectl describe`: which member of which slice this is.
void describe(const Facts& facts, text::Buffer& out) {
  const workloads::Member& member = *facts.member;
  const topology::Slice& slice = facts.slice;
  out.clear();
  out.add(std::string_view("host "), facts.host, std::string_view(" of "), slice.hosts);
  if (facts.sliced) {
    out.add(std::string_view(", slice "), facts.job_slice);
    if (facts.slice_count > 0) out.add(std::string_view(" of "), facts.slice_count);
  }
  out.add(std::string_view(", "), member.kind, ' ', member.group);
  if (!member.part.empty()) out.add('/', member.part);
  out.append(std::string_view(": "));
  if (slice.dims.rank() > 0) {
    out.add(slice.dims.axis(0), 'x', slice.dims.axis(1));
    if (slice.dims.rank() == 3) out.add('x', slice.dims.axis(2));
    if (!slice.accelerator.empty()) out.append(std::string_view(" of "));
  }
  out.append(slice.accelerator);
  if (slice.dims.rank() > 0 || !slice.accelerator.empty()) out.append(std::string_view(", "));
  out.add(slice.chips_per_host, std::string_view(" chips per host"));
}

// Each TPU container with what it should have.
template <class F>
void for_each_container(Scratch& scratch, F&& f) {
  const auto visit = [&](const read::Container& container, std::uint32_t process) {
    const ContainerEnv env{scratch.facts, container, process, scratch.wanted};
    want(env, scratch.values);
    f(env);
  };
  const Shape& shape = scratch.shape;
  for (std::uint32_t i = 0; i < shape.processes.size(); ++i) visit(*shape.processes[i], i);
  // An init container runs before the processes and is none of them; with one
  // process a host it stands in its place.
  if (shape.processes.size() != 1) return;
  for (const read::Container* init : shape.init)
    if (init->chips() == shape.processes.front()->chips()) visit(*init, 0);
}

// What the values were computed from, but for what the containers say.
text::Digester begin_inputs(const Facts& facts) {
  const workloads::Member& member = *facts.member;
  text::Digester inputs;
  inputs.add(std::uint64_t{facts.host} << 32 | facts.slice.hosts)
      .add(std::uint64_t{facts.slice_index} << 32 | facts.job_slice)
      .add(std::uint64_t{facts.slice_count} << 32 | facts.slice.processes)
      .add(std::uint64_t{facts.named} << 32 | facts.slice.chips_per_host)
      .add(facts.slice.accelerator)
      .add(member.names.stem)
      .add(member.names.stem2)
      .add(member.subdomain);
  if (member.names.numbered) inputs.add(std::uint64_t{member.names.first});
  if (!member.hostnames.empty()) inputs.add(member.hostnames);
  if (!member.coordinator.empty()) inputs.add(member.coordinator);
  return inputs;
}

void write_env(Scratch& scratch) {
  text::Digester all_inputs = begin_inputs(scratch.facts);
  bool lost = false;
  for_each_container(scratch, [&](const ContainerEnv& env) {
    all_inputs.add(env.container.name);
    add_theirs(env, all_inputs);
    lost = lost || lost_variable(env);
  });
  const text::Digest inputs = all_inputs.digest();
  scratch.frozen = scratch.before.foreign() || (scratch.before.has_inputs(inputs) && !lost);
  scratch.after.clear();
  for_each_container(scratch, [&](const ContainerEnv& env) {
    const EnvChanges changes = reconcile(env, scratch.after, scratch.notes);
    if (!scratch.frozen) write_changes(env, changes, scratch.patch);
  });
  scratch.after.set_inputs(inputs);
}

void write_annotation(Scratch& scratch, read::Annotation which, write::Surface row,
                      std::string_view value) {
  const auto index = static_cast<std::size_t>(which);
  scratch.patch.set_own(row, "/metadata/annotations/", read::annotation_keys[index].text,
                        scratch.facts.pod->annotation_values[index], value);
}

void make_map(write::Patch& patch, write::Surface row, std::string_view path) {
  patch.begin(write::PatchOp::add, row, path);
  patch.json().append(std::string_view("{}"));
  patch.end();
}

// A record with nothing in it says so: without one, what the user set just as we
// would would be taken for ours the next time.
void write_annotations(Scratch& scratch) {
  const bool record = !scratch.after.empty() || !scratch.before.empty();
  if (scratch.frozen || (!record && !scratch.facts.slice.multi_host())) return;
  if (scratch.facts.pod->annotations == read::Presence::absent)
    make_map(scratch.patch, write::Surface::annotations, "/metadata/annotations");
  scratch.text.clear();
  scratch.after.append_to(scratch.text);
  write_annotation(scratch, read::Annotation::injected, write::Surface::annotation_injected,
                   scratch.text.view());
  write_annotation(scratch, read::Annotation::slice, write::Surface::annotation_slice,
                   scratch.description.view());
}

// `present` is what stands there, "" for nothing.
void write_text(write::Patch& patch, write::Surface row, std::string_view path,
                std::string_view value, std::string_view present = {}) {
  if (present == value) return;
  patch.begin(present.empty() ? write::PatchOp::add : write::PatchOp::replace, row, path);
  write::append_json_string(patch.json(), value);
  patch.end();
}

void write_names(Scratch& scratch) {
  const Facts& facts = scratch.facts;
  if (!facts.member->gives_names || !facts.named) return;
  if (facts.pod->hostname.empty() || facts.copied()) {
    scratch.text.clear();
    facts.member->names.append(scratch.text, facts.slice_index, facts.host);
    write_text(scratch.patch, write::Surface::hostname, "/spec/hostname", scratch.text.view(),
               facts.pod->hostname);
  }
  if (facts.pod->subdomain.empty())
    write_text(scratch.patch, write::Surface::subdomain, "/spec/subdomain",
               facts.member->subdomain);
}

// Ray's autoscaler scales the hosts of a slice as one by this label.
void write_replica_label(Scratch& scratch) {
  const Facts& facts = scratch.facts;
  if (!facts.ray()) return;
  const std::string_view name = scratch.values.tpu_name.view();
  const std::string_view present = facts.pod->label(read::Label::replica_index);
  if (present.empty() || facts.copied())
    write_text(scratch.patch, write::Surface::label_replica_index, "/metadata/labels/replicaIndex",
               name, present);
  else if (present != name)
    scratch.notes.warn("label replicaIndex is " + text::printable(present) +
                       " and stays; by KubeRay's labels it is " + text::printable(name));
}

void write_token(Scratch& scratch) {
  const Facts& facts = scratch.facts;
  if (facts.token.empty()) return;
  write_own_label(*facts.pod, read::Label::token, write::Surface::label_token, facts.token,
                  scratch.patch);
}

void write_labels(Scratch& scratch, const config::Config& config) {
  const auto placement = plan_placement(scratch.facts, config, scratch.notes);
  if ((placement || scratch.facts.ray()) && scratch.facts.pod->labels == read::Presence::absent)
    make_map(scratch.patch, write::Surface::labels, "/metadata/labels");
  write_replica_label(scratch);
  write_token(scratch);
  if (placement)
    write_placement(scratch.facts, config, *placement, scratch.affinities, scratch.patch);
}

// ---- the order of it all

Decision write_everything(const config::Config& config, Scratch& scratch) {
  const Facts& facts = scratch.facts;
  if (auto built = build_values(facts, config, scratch.values); !built)
    return deny(Reason::too_long, built.error());
  if (!scratch.values.tpu_name.empty() && !text::is_label_value(scratch.values.tpu_name.view()))
    return deny(
        Reason::bad_name,
        Error(Errc::bad_name, "slice name " + text::printable(scratch.values.tpu_name.view(), 100) +
                                  " is no label value of at most 63 characters; Ray makes "
                                  "a node label of it"));
  if (scratch.values.ports.unreadable)
    scratch.notes.warn(
        "TPU_PROCESS_PORT is no plain port number, so TPU_PROCESS_ADDRESSES was not "
        "injected");
  if (scratch.values.ports.same)
    scratch.notes.warn(
        "two TPU containers of this Pod have the same TPU_PROCESS_PORT; only one of them can "
        "listen on it");
  if (!scratch.values.torch_misfit.empty())
    scratch.notes.warn(scratch.values.torch_misfit + "; no variable of torch_tpu was injected");
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

Decision no_subdomain(const config::Config& config, Scratch& scratch) {
  scratch.notes.warn("the Pod has no spec.subdomain, so the " +
                     std::to_string(scratch.facts.slice.hosts) +
                     " hosts of the slice have no DNS names; set it to a headless Service");
  Decision decision = write_everything(config, scratch);
  if (decision.outcome == Outcome::unchanged) decision.reason = Reason::no_subdomain;
  return decision;
}

// ---- names that a user gives

std::string_view first_of(std::string_view text, char mark) {
  return text.substr(0, text.find(mark));
}

// A list that does not name each host once, or whose entry for this Pod is another Pod's,
// makes a slice that never forms.
std::string wrong_hostnames(const Facts& facts) {
  const std::string_view all = facts.member->hostnames;
  const std::string_view own = facts.pod->hostname.empty() ? facts.pod->name : facts.pod->hostname;
  std::vector<std::string_view> names;
  for (std::string_view rest = all;;) {
    const std::size_t comma = rest.find(',');
    names.push_back(rest.substr(0, comma));
    if (!text::is_host_name(names.back()))
      return "annotation hostnames: entry " + std::to_string(names.size() - 1) + ", " +
             text::printable(names.back()) + ", is no host name without port; nothing was injected";
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (names.size() != facts.slice.hosts)
    return "annotation hostnames has " + std::to_string(names.size()) + " entries, but " +
           hosts_of(facts.slice) + "; nothing was injected";
  for (std::uint32_t host = 0; host < names.size(); ++host)
    if (!own.empty() && first_of(names[host], '.') == own && host != facts.host)
      return "annotation hostnames has this Pod, " + text::printable(own) + ", as host " +
             std::to_string(host) + ", but it is host " + std::to_string(facts.host) +
             "; nothing was injected";
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    return "annotation hostnames has " + text::printable(*twice) + " twice; nothing was injected";
  return {};
}

void note_coordinator(const Facts& facts, Notes& notes) {
  const workloads::Member& member = *facts.member;
  if (!member.slices_asked || facts.slice_count < 2 || !member.coordinator.empty()) return;
  if (member.coordinator_known && member.hostnames.empty() && facts.named) return;
  notes.warn("annotation slice-count makes this one slice of " + std::to_string(facts.slice_count) +
             ", but nothing names host 0 of slice 0: add annotation coordinator; no MEGASCALE "
             "variable was injected");
}

// ---- the members of a slice

Decision write_member(const config::Config& config, Scratch& scratch) {
  note_coordinator(scratch.facts, scratch.notes);
  return write_everything(config, scratch);
}

Decision write_named(const config::Config& config, Scratch& scratch) {
  Facts& facts = scratch.facts;
  if (auto named = check_names(facts, scratch.text); !named)
    return deny(Reason::bad_name, named.error());
  if (auto wrong = wrong_hostname(facts, scratch.text); !wrong.empty())
    return leave_alone(Reason::inconsistent, std::move(wrong), scratch);
  note_resolving(*facts.pod, scratch.notes);
  facts.named = true;
  return write_member(config, scratch);
}

Decision write_listed(const config::Config& config, Scratch& scratch) {
  Facts& facts = scratch.facts;
  if (auto wrong = wrong_hostnames(facts); !wrong.empty())
    return leave_alone(Reason::inconsistent, std::move(wrong), scratch);
  facts.named = true;
  return write_member(config, scratch);
}

Decision decide_settled(const config::Config& config, Scratch& scratch) {
  const Facts& facts = scratch.facts;
  const workloads::Member& member = scratch.member;
  describe(facts, scratch.description);
  if (!member.coordinator.empty() && !text::is_host_name(first_of(member.coordinator, ':')))
    return leave_alone(Reason::inconsistent,
                       "annotation coordinator is " + text::printable(member.coordinator) +
                           ", which is no host name; nothing was injected",
                       scratch);
  const bool multi_host = facts.slice.multi_host();
  if (multi_host && !member.hostnames.empty()) return write_listed(config, scratch);
  if (multi_host && member.names.stem.empty())
    return leave_alone(Reason::no_identity,
                       "nothing names the hosts of the slice: add annotation hostnames; nothing "
                       "was injected",
                       scratch);
  if (!multi_host && (!joins_others(facts) || member.subdomain.empty()))
    return write_member(config, scratch);
  return member.subdomain.empty() ? no_subdomain(config, scratch) : write_named(config, scratch);
}

Decision decide_member(const config::Config& config, const read::ClusterView& cluster,
                       const ledger::PlaceAnswer* place, Scratch& scratch) {
  Identity identity = settle_identity(scratch.facts, scratch.member, cluster, place);
  switch (identity.verdict) {
    case Identity::Verdict::settled:
      return decide_settled(config, scratch);
    case Identity::Verdict::leave_alone:
      return leave_alone(identity.reason, std::move(identity.why).message(), scratch);
    case Identity::Verdict::deny:
      return deny(identity.reason, std::move(identity.why));
    case Identity::Verdict::ask_ledger:
    case Identity::Verdict::try_again:
      break;
  }
  return {.outcome = Outcome::deferred,
          .reason = identity.reason,
          .denial = std::move(identity.why),
          .retry_now = identity.retry_now,
          .asks_ledger = identity.verdict == Identity::Verdict::ask_ledger};
}

// The slice, or what becomes of a Pod of which none can be made.
using SliceOrDecision = std::variant<topology::Slice, Decision>;

// Of as many hosts as the user says.
SliceOrDecision slice_of_count(Scratch& scratch) {
  const Shape& shape = scratch.shape;
  const workloads::IndexLabel& count = scratch.member.worker_count;
  if (!count.present())
    return leave_alone(Reason::no_topology,
                       "no single TPU topology is selected (cloud.google.com/gke-tpu-topology), so "
                       "the hosts of the slice are not known; nothing was injected",
                       scratch);
  const auto hosts = text::plain_decimal(count.text);
  if (!hosts || *hosts == 0 || *hosts > Dims::max_product)
    return deny(
        Reason::bad_index,
        Error(Errc::index_out_of_range,
              std::string(count.key) + " is " + text::printable(count.text) +
                  ", expected a plain decimal from 1 to " + std::to_string(Dims::max_product)));
  const auto slice =
      topology::slice_of_hosts(shape.accelerator, *hosts, shape.chips_per_container(),
                               static_cast<std::uint32_t>(shape.processes.size()));
  if (!slice) return deny(Reason::bad_index, slice.error());
  return *slice;
}

SliceOrDecision slice_of_topology(Scratch& scratch) {
  const Shape& shape = scratch.shape;
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
  return *slice;
}

Decision decide_shape(const read::Pod& pod, std::string_view ns, const config::Config& config,
                      const read::ClusterView& cluster, const ledger::PlaceAnswer* place,
                      Scratch& scratch) {
  if (const auto odd = odd_shape(scratch.shape); !odd.empty())
    return leave_alone(Reason::inconsistent, std::string(odd), scratch);
  SliceOrDecision found =
      scratch.shape.topology.empty() ? slice_of_count(scratch) : slice_of_topology(scratch);
  if (auto* decision = std::get_if<Decision>(&found)) return std::move(*decision);
  begin_facts(pod, ns, std::get<topology::Slice>(found), scratch);
  return decide_member(config, cluster, place, scratch);
}

// A Pod for TPU nodes without chips, but with claims: they may be what it asks with.
void note_claims(const read::Pod& pod, Notes& notes) {
  if (pod.claim_uses.empty() || pod.selector(read::key::accelerator).empty()) return;
  notes.warn(
      "the Pod selects TPU nodes and asks for no google.com/tpu; whether its resource claims are "
      "for chips, and for how many, is not known here, so nothing was injected");
}

void begin(const config::Config& config, Scratch& scratch) {
  scratch.notes.clear();
  scratch.description.clear();
  scratch.frozen = false;
  scratch.facts = Facts();
  scratch.member = workloads::Member();  // its views died with the review before
  scratch.patch.clear(config.prefix);
}

}  // namespace

Decision deny_quantity(Error why, const config::Config& config, Scratch& scratch) {
  begin(config, scratch);
  Decision decision = deny(Reason::bad_quantity, std::move(why));
  decision.shadow = config.mode == config::Mode::shadow;
  return decision;
}

void note_shadow(const Decision& decision, Scratch& scratch) {
  if (decision.outcome == Outcome::denied)
    scratch.notes.warn("shadow mode: this Pod would have been refused: " +
                       std::string(decision.denial.text()));
  if (decision.outcome == Outcome::deferred)
    scratch.notes.warn("shadow mode: this Pod would have been asked to come again: " +
                       std::string(decision.denial.text()));
  if (decision.outcome == Outcome::patched)
    scratch.notes.warn("shadow mode: this Pod would have been patched as " +
                       std::string(scratch.description.view()) + "; it was left as it is");
}

Decision decide(const read::Review& review, const read::Pod& pod, const config::Config& config,
                const read::ClusterView& cluster, const ledger::PlaceAnswer* place,
                Scratch& scratch) {
  begin(config, scratch);
  const auto none_of_ours = [&](Reason reason) {
    return Decision{.reason = reason, .shadow = config.mode == config::Mode::shadow};
  };
  if (!review.is_pod_creation()) return none_of_ours(Reason::not_a_pod);
  if (!read_shape(pod, scratch.shape)) {
    note_claims(pod, scratch.notes);
    return none_of_ours(Reason::no_tpu);
  }
  if (pod.annotation(read::Annotation::inject) == "false") return none_of_ours(Reason::opted_out);

  const std::string_view ns = review.ns_of(pod);
  const workloads::Workload& workload = workloads::workload_of(pod);
  Decision decision{.reason = Reason::switched_off};
  if (config.workloads.has(workload.kind)) {
    scratch.member.workload = workload.kind;
    workload.identify({pod, ns, config, cluster, scratch.service}, scratch.member);
    workloads::apply_annotations(pod, ns, scratch.member);
    decision = decide_shape(pod, ns, config, cluster, place, scratch);
  }
  decision.workload = workload.name;
  decision.shadow = config.mode_for(workload.kind) == config::Mode::shadow;
  return decision;
}

}  // namespace tpuwh::webhook::decide
