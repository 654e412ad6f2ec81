#include "webhook/validate/checker.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "webhook/identity/contradictions.hpp"
#include "webhook/identity/member_index.hpp"
#include "webhook/placement/placement.hpp"
#include "webhook/read/claims.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::webhook::validate {

Checker::Checker(const WorkloadObject& object, const config::Config& config,
                 const read::ClusterView& cluster, answer::Workspace::Impl& work,
                 Findings& findings)
    : object_(object), config_(config), cluster_(cluster), work_(work), findings_(findings) {
  creation_.uid = work.review.uid;
  creation_.kind_version = "v1";
  creation_.kind = "Pod";
  creation_.ns = work.review.ns;
  creation_.operation = "CREATE";
  creation_.dry_run = true;
  creation_.has_object = true;
}

std::string Checker::titled(std::string sentence) const {
  if (title_.kind.empty()) return sentence;
  return base::concat({title_.kind, base::printable(title_.name), ": ", sentence});
}

bool Checker::read(base::json::Reader::Mark place, std::string_view step) {
  base::json::Reader& in = work_.reader;
  const base::json::Reader::Mark back = in.mark();
  in.go_to(place);
  if (!read::read_pod_template(in, config_.prefix, work_.pod)) {
    in.within(step);
    return false;
  }
  in.go_to(back);
  return true;
}

// Cheap where there is none: "{}" a million times is a list of groups, too.
bool Checker::open(Title title, base::json::Reader::Mark place, std::string_view step) {
  title_ = title;
  cluster_.group.reset();
  was_read_ = place && read(place, step);
  if (!was_read_) return false;
  read::Pod& pod = work_.pod;
  if (pod.bad_chips) {
    was_read_ = false;
    add_bad_chips(*pod.bad_chips);
    return false;
  }
  claims_ = nullptr;
  if (pod.may_claim()) {
    read::take_claimed_chips(pod, creation_.ns, cluster_, work_.claims);
    claims_ = &work_.claims;
  }
  if (!facts::read_shape(pod, work_.told.shape)) return false;
  if (claims_ != nullptr) facts::take_claims(*claims_, work_.told.shape);
  if (pod.annotation(read::Annotation::inject) == "false") return false;
  return ++templates_ <= max_templates;
}

// In one piece: there may be one in each of very many templates.
void Checker::add_bad_chips(const read::BadChips& bad) {
  const std::string_view between = title_.kind.empty() ? "" : ": ";
  const std::string number = std::to_string(bad.container);
  const auto path = bad.path_of(number);
  findings_.add(Finding::chips_invalid,
                base::concat({title_.kind, base::printable(title_.name), between, path[0], path[1],
                              path[2], path[3], path[4], path[5], ": \"",
                              base::printable(bad.what.text), "\" ", bad.what.why}));
}

// docs/facts.md#one-slice-a-pool
void Checker::add_slices(std::uint64_t slices, bool after_others) {
  const placement::Placement& placement = work_.told.placement;
  const bool pinned = placement.why == placement::Terms::pinned &&
                      placement.topology_key == read::key::node_pool && slice() != nullptr;
  if (!pinned || work_.told.shape.dynamic || slices == 0) return;
  std::uint64_t& all = pinned_[std::string(bounded(placement.domain))];
  all = after_others ? std::max(all, slices) : all + slices;
}

void Checker::finish() {
  close();
  for (const auto& [pool, slices] : pinned_)
    if (slices > 1)
      add(Finding::pool_shared,
          std::to_string(slices) + " slices select node pool " + base::printable(pool) +
              ", but a node pool of several hosts is one slice: the others never form");
  if (templates_ <= max_templates) return;
  findings_.add_in_front(Finding::templates_unchecked,
                         "only the first " + std::to_string(max_templates) +
                             " Pod templates that ask for TPU were checked; not checked: " +
                             with_commas(templates_ - max_templates));
}

bool Checker::asks_for_tpu() const {
  if (!was_read_) return false;
  const facts::Shape& shape = work_.told.shape;
  return !shape.processes.empty() || !shape.init.empty();
}

bool Checker::selects_tpu_without_chips() const {
  const read::Pod& pod = work_.pod;
  return was_read_ && !asks_for_tpu() && !pod.selector(read::key::accelerator).empty() &&
         pod.claim_uses.empty();
}

void Checker::label(read::Label which, std::string_view text) {
  work_.pod.labels = read::Presence::present;
  work_.pod.label_values.set(which, text);
}

void Checker::annotation(read::Annotation which, std::string_view text) {
  work_.pod.annotations = read::Presence::present;
  work_.pod.annotation_values.set(which, text);
}

void Checker::set_ray_hosts(std::uint32_t hosts) {
  if (work_.told.shape.class_chooses)
    cluster_.group = read::RayGroup{.hosts = hosts, .slices = identity::unbounded};
}

outcome::Decision Checker::decide() {
  return decide::decide(creation_, work_.pod, {config_, cluster_, nullptr, claims_}, work_.kept,
                        work_.told);
}

const topology::Slice* Checker::slice() const {
  const facts::Facts& facts = work_.told.facts;
  if (facts.pod == nullptr || work_.told.notes.find(Finding::node_shared) != nullptr)
    return nullptr;
  return &facts.slice;
}

void Checker::add(Finding finding, std::string sentence, Level most) {
  findings_.add(finding, titled(std::move(sentence)), most);
}

void Checker::add_refusals(const controllers::Refusals& refusals, Level most) {
  for (const std::string& each : refusals) add(Finding::controller_refuses, each, most);
}

void Checker::report(const outcome::Decision& decision) {
  // The flavor that it is admitted to selects the nodes, or who makes the slice.
  if (decision.reason == outcome::Reason::no_topology && (kueue_manages() || skips_check())) return;
  const auto known_better = [&](Finding finding) {
    return finding == Finding::sub_slice_unplaced && kueue_manages();
  };
  for (const outcome::Notes::Warning& note : work_.told.notes.warnings())
    if (note.finding && !known_better(*note.finding))
      findings_.add_decided(*note.finding, titled(note.sentence), Level::warn);
  if (decision.outcome == outcome::Outcome::denied && decision.finding)
    findings_.add_decided(*decision.finding, titled(decision.denial.text()), Level::deny);
}

bool Checker::kueue_manages() const {
  const read::Pod& pod = work_.pod;
  return queued_->has_queue || pod.kueue_gate || !pod.label(read::Label::kueue_queue_name).empty();
}

bool Checker::skips_check() const {
  return work_.pod.annotation(read::Annotation::skip_check) == "true";
}

std::string_view Checker::who_knows_better() const {
  const read::Pod& pod = work_.pod;
  if (skips_check()) return "annotation cloud.google.com/skip-tpu-webhook-check is \"true\"";
  if (kueue_manages() && work_.told.shape.accelerator.empty())
    return "the flavor of its Kueue queue selects the accelerator";
  if (work_.told.shape.dynamic) return "the slice is made or cut on demand";
  for (const read::Annotation each :
       {read::Annotation::worker_id, read::Annotation::worker_count, read::Annotation::hostnames,
        read::Annotation::slice_id, read::Annotation::slice_count, read::Annotation::coordinator})
    if (pod.has(each)) return "annotations describe the slice";
  for (const read::Container* process : work_.told.shape.processes)
    for (const read::Variable each :
         {read::Variable::tpu_worker_hostnames, read::Variable::tpu_worker_id,
          read::Variable::tpu_process_addresses})
      if (pod.entry(*process, each) != nullptr) return "the template sets TPU variables itself";
  return {};
}

void Checker::wrong_size(Finding finding, std::string_view sentence) {
  const std::string_view why = who_knows_better();
  if (why.empty())
    add(finding, std::string(sentence));
  else
    add(finding, std::string(sentence) + "; allowed, because " + std::string(why), Level::warn);
}

std::string count_in_words(std::string_view key, controllers::Number count) {
  return std::string(key) +
         (count ? " is " + std::to_string(*count) : " is missing, which means 1");
}

std::string hosts_by_arithmetic(const topology::Slice& slice) {
  if (slice.dims.rank() == 0) return identity::hosts_of(slice);
  return identity::hosts_of(slice) + " (" + std::to_string(slice.chips) + " / " +
         std::to_string(slice.chips_per_host) + ")";
}

}  // namespace tpuwh::webhook::validate
