#include "webhook/decide/write_member.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "webhook/env/reconcile.hpp"
#include "webhook/env/sets.hpp"
#include "webhook/findings/errc.hpp"
#include "webhook/findings/finding.hpp"
#include "webhook/placement/hint.hpp"
#include "webhook/placement/placement.hpp"
#include "webhook/placement/write_placement.hpp"

#include <string>
#include <string_view>

namespace tpuwh::webhook::decide {

namespace {

using findings::Finding;

// ---- env

// What the values were computed from, but for what the containers say. Order and parts are stored
// in Pods, as a digest: what is new is added behind, and only where it is used. Any other change
// makes every Pod of an earlier release differ when it is reviewed again (docs/decisions/0013).
base::Digester begin_inputs(const facts::Facts& facts) {
  const workloads::Member& member = *facts.member;
  base::Digester inputs;
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

// Whether a second look found nothing changed: env and the record of it stay as they are.
bool write_env(Kept& kept, Told& told) {
  base::Digester all_inputs = begin_inputs(told.facts);
  bool lost = false;
  told.envs.want(told.facts, kept.values);
  env::settle_sets(told.envs, told.notes);
  for (const env::ContainerEnv& env : told.envs) {
    all_inputs.add(env.container.name);
    env::add_theirs(env, all_inputs);
    lost = lost || env::lost_variable(env);
  }
  const base::Digest inputs = all_inputs.digest();
  const bool frozen = told.before.foreign() || (told.before.has_inputs(inputs) && !lost);
  told.after.clear();
  for (const env::ContainerEnv& env : told.envs) {
    const env::EnvChanges changes = env::reconcile(env, told.after);
    if (!frozen) env::write_changes(env, changes, told.patch);
  }
  told.after.set_inputs(inputs);
  return frozen;
}

// ---- the record

void write_annotation(Told& told, read::Annotation which, write::Surface row,
                      std::string_view value) {
  told.patch.set_own(row, told.facts.pod->annotation_values.find(which), value);
}

void make_map(write::Patch& patch, write::Surface row) {
  patch.begin(write::PatchOp::add, row);
  patch.json() << "{}";
  patch.end();
}

// A record with nothing in it says so: without one, what the user set just as we
// would would be taken for ours the next time.
void write_annotations(Kept& kept, Told& told) {
  const bool record = !told.after.empty() || !told.before.empty();
  if (!record && !told.facts.slice.multi_host()) return;
  if (told.facts.pod->annotations == read::Presence::absent)
    make_map(told.patch, write::Surface::annotations);
  kept.text.clear();
  told.after.append_to(kept.text);
  write_annotation(told, read::Annotation::injected, write::Surface::annotation_injected,
                   kept.text.view());
  write_annotation(told, read::Annotation::slice, write::Surface::annotation_slice,
                   told.description.view());
}

// ---- names and labels

// `present` is what stands there, "" for nothing.
void write_text(write::Patch& patch, write::Surface row, std::string_view value,
                std::string_view present = {}) {
  if (present == value) return;
  patch.begin(present.empty() ? write::PatchOp::add : write::PatchOp::replace, row);
  patch.json() << write::as_string(value);
  patch.end();
}

void write_names(Kept& kept, Told& told) {
  const facts::Facts& facts = told.facts;
  if (!facts.member->gives_names || !facts.named) return;
  if (facts.pod->hostname.empty() || facts.copied()) {
    kept.text.clear();
    facts.member->names.append(kept.text, facts.slice_index, facts.host);
    write_text(told.patch, write::Surface::hostname, kept.text.view(), facts.pod->hostname);
  }
  if (facts.pod->subdomain.empty())
    write_text(told.patch, write::Surface::subdomain, facts.member->subdomain);
}

// Ray's autoscaler scales the hosts of a slice as one by this label.
void write_replica_label(const Kept& kept, Told& told) {
  const facts::Facts& facts = told.facts;
  if (!facts.ray()) return;
  const std::string_view name = kept.values.tpu_name.view();
  const std::string_view present = facts.pod->label(read::Label::replica_index);
  if (present.empty() || facts.copied())
    write_text(told.patch, write::Surface::label_replica_index, name, present);
  else if (present != name)
    told.notes.warn(Finding::value_kept, "label replicaIndex is " + base::printable(present) +
                                             " and was kept; by KubeRay's labels it would be " +
                                             base::printable(name));
}

void write_token(Told& told) {
  const facts::Facts& facts = told.facts;
  if (facts.token.empty()) return;
  placement::write_own_label(*facts.pod, read::Label::token, write::Surface::label_token,
                             facts.token, told.patch);
}

void write_labels(const Around& around, Kept& kept, Told& told) {
  const placement::Placement& placement = told.placement =
      placement::plan_placement(told.facts, around.config, kept.slice_keys, told.notes);
  if ((placement.labels() || told.facts.ray()) && told.facts.pod->labels == read::Presence::absent)
    make_map(told.patch, write::Surface::labels);
  write_replica_label(kept, told);
  write_token(told);
  if (!placement.labels()) return;
  placement::find_unfit_pools(told.facts, placement, around.config, around.cluster,
                              told.unfit_pools);
  placement::write_placement(around.config, placement,
                             {*told.facts.pod, told.unfit_pools, kept.affinities, told.patch});
}

Result<void> check_slice_name(std::string_view name) {
  if (name.empty() || base::is_label_value(name)) return {};
  return Error(findings::Errc::bad_name,
               "slice name " + base::printable(name, 100) +
                   " is not a label value of at most 63 characters; Ray uses "
                   "it as a node label");
}

Error large_patch(Told& told) {
  const std::size_t bytes = told.patch.json().size() + told.patch.dropped_bytes();
  std::string why = "the patch of this Pod would be " + std::to_string(bytes) +
                    " bytes, the maximum is " + std::to_string(write::max_patch_bytes) +
                    ": the API server stores no object above 1.5 MiB. " +
                    base::counted(told.shape.processes.size(), "TPU container") +
                    " would get the names of " + base::counted(told.facts.slice.hosts, "host");
  if (const std::size_t terms = told.facts.pod->node_terms.size(); terms > 1)
    why += ", and the Pod has " + base::counted(terms, "node selector term");
  return Error(findings::Errc::env_too_long, std::move(why));
}

// JAX takes the file before any list (docs/facts.md#addresses-in-a-file).
void note_files(const Told& told, outcome::Notes& notes) {
  for (const env::ContainerEnv& env : told.envs) {
    const auto* entry =
        told.facts.pod->entry(env.container, read::Variable::tpu_process_addresses_path);
    if (entry == nullptr || env.container.init || !told.facts.slice.multi_host() ||
        env.wanted.find(read::Variable::tpu_worker_hostnames) == nullptr ||
        (entry->source == read::EnvSource::literal && entry->value.empty()))
      continue;
    notes.warn(
        Finding::addresses_in_file,
        "TPU_PROCESS_ADDRESSES_PATH of container " + base::printable(env.container.name, 63) +
            " names a file that JAX reads in place of the injected lists; it must name the " +
            std::to_string(told.facts.slice.processes) +
            " processes of the slice in the order of their ids");
  }
}

}  // namespace

outcome::Decision write_member(const Around& around, Kept& kept, Told& told) {
  const facts::Facts& facts = told.facts;
  if (auto built = env::build_values(facts, around.config, kept.values); !built)
    return outcome::deny(outcome::Reason::too_long, built.error());
  if (auto named = check_slice_name(kept.values.tpu_name.view()); !named)
    return outcome::deny(outcome::Reason::bad_name, named.error());
  if (!kept.values.torch_misfit.empty())
    told.notes.warn(Finding::torch_misfit,
                    kept.values.torch_misfit + "; no variable of torch_tpu was injected");
  const bool frozen = write_env(kept, told);
  note_files(told, told.notes);
  write_names(kept, told);
  write_labels(around, kept, told);
  const bool relevant = facts.slice.multi_host() || !told.after.empty() || !told.patch.empty();
  if (!frozen) write_annotations(kept, told);
  if (told.patch.dropped_bytes() > 0)
    return outcome::deny(outcome::Reason::too_long, large_patch(told));
  if (told.patch.is_spoiled())
    return {.outcome = outcome::Outcome::failed, .reason = outcome::Reason::internal_error};
  if (!told.patch.empty())
    return {.outcome = outcome::Outcome::patched, .reason = outcome::Reason::injected};
  return outcome::unchanged(relevant ? outcome::Reason::already_done
                                     : outcome::Reason::single_host);
}

}  // namespace tpuwh::webhook::decide
