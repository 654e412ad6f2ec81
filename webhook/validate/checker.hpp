// One Pod template of a workload object after the other, put through decide() as the Pod
// that its controller would make of it: what a Pod is denied for, its template is refused
// for, in the same words, because the same function says both.
//
//   if (!checker.open({"worker group ", name}, place)) return;   // nothing to check
//   ... write into checker.pod() what the controller does ...
//   checker.report(checker.decide());
//   if (checker.slice() ...) checker.wrong_size(...)
#pragma once

#include "webhook/answer/workspace.hpp"
#include "webhook/config/config.hpp"
#include "webhook/controllers/refusals.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/validate/findings.hpp"
#include "webhook/validate/object.hpp"
#include "webhook/validate/validate.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tpuwh::webhook::validate {

// At most this many Pod templates of one object are checked. This limits the cost of a review: each
// template takes up to three decisions. A template that asks for no TPU is read but not counted. A
// RayCluster usually has a handful of worker groups, and a JobSet a few replicated Jobs.
inline constexpr std::size_t max_templates = 32;

// The name of a template in findings: "worker group " and the name of the group, or "" if the
// object has only one template. The two parts are joined only when a finding is added, because most
// templates have no findings.
struct Title {
  std::string_view kind = {};
  std::string_view name = {};  // as the user wrote it
};

class Checker {
 public:
  Checker(const WorkloadObject& object, const config::Config& config,
          const read::ClusterView& cluster, answer::Workspace::Impl& work, Findings& findings);

  const WorkloadObject& object() const { return object_; }
  // Returns the object that Kueue admits: the checked object, or the template of a CronJob's Jobs
  // while that template is checked.
  const WorkloadObject& queued() const { return *queued_; }
  void set_queued(const WorkloadObject& job_template) { queued_ = &job_template; }
  base::json::Reader& reader() { return work_.reader; }

  // Reads a template. False where there is nothing to decide: it is absent, asks for no
  // TPU, wants to be left alone, or asks for no whole number of chips (a fault). The reader
  // is where it was before. False, too, where it cannot be read; then the reader has failed.
  //   step   where it is in the object, for the path of an error
  bool open(Title title, base::json::Reader::Mark place, std::string_view step = "template");
  // Whether a template that open() read asked for TPU and is handled.
  bool any_asks_for_tpu() const { return templates_ > 0; }
  // Whether the template that open() read last asks for TPU, whatever it said.
  bool asks_for_tpu() const;
  // Ends the check of a template: findings that are added later are about the whole object.
  void close() { title_ = {}; }
  // So many slices of the template that decide() looked at last run at a time. Where they are
  // pinned to a node pool, which holds one, finish() says so.
  //
  //   after_others  they run when those before them have ended
  void add_slices(std::uint64_t slices, bool after_others = false);
  // All templates were opened: says how many were not looked at.
  void finish();
  // After open() said no: its Pods go to TPU nodes and ask for no chips.
  bool selects_tpu_without_chips() const;

  // Returns the Pod of the template that open() read last.
  read::Pod& pod() { return work_.pod; }
  void label(read::Label which, std::string_view text);
  void annotation(read::Annotation which, std::string_view text);

  // How many Pods KubeRay makes for a slice, for a template that selects no topology.
  void set_ray_hosts(std::uint32_t hosts);

  // Returns the webhook's decision for the present state of pod(), including the changes that were
  // made by label() and annotation().
  outcome::Decision decide();
  // The slice that decide() found, null where it found none, and where no node has the chips that
  // it was computed with.
  const topology::Slice* slice() const;
  const decide::Told& told() const { return work_.told; }

  // A denial is a fault; what decide() warned of, a warning.
  void report(const outcome::Decision& decision);
  // Adds a finding about the template that open() read last. The finding gets its configured level,
  // or `most` if `most` is less severe.
  void add(Finding finding, std::string sentence, Level most = Level::deny);
  // Adds the refusals of the API server or an operator for the template that is open.
  void add_refusals(const controllers::Refusals& refusals, Level most = Level::deny);
  // Adds the fault of a group whose size differs from the size of its slice. The fault is only a
  // warning if something other than the template determines the slice, as in each exemption of
  // docs/governance.md#exemptions.
  void wrong_size(Finding finding, std::string_view sentence);

 private:
  void add_bad_chips(const read::BadChips& bad);
  bool read(base::json::Reader::Mark place, std::string_view step);
  std::string titled(std::string sentence) const;
  bool kueue_manages() const;
  bool skips_check() const;
  std::string_view who_knows_better() const;

  // The RayClusters of the cluster are left out: the one that is looked at is older there.
  struct WithoutGroups final : read::ClusterView {
    explicit WithoutGroups(const read::ClusterView& view) : all(view) {}
    std::optional<std::string> ray_headless_service(std::string_view ns,
                                                    std::string_view cluster) const override {
      return all.ray_headless_service(ns, cluster);
    }
    read::Claimed claimed(const read::ClaimSource& source) const override {
      return all.claimed(source);
    }
    std::optional<read::RayGroup> ray_group(std::string_view, std::string_view,
                                            std::string_view) const override {
      return group;
    }
    const read::ClusterView& all;
    std::optional<read::RayGroup> group;  // of the template that is open
  };

  const WorkloadObject& object_;
  const WorkloadObject* queued_ = &object_;
  const config::Config& config_;
  const read::TakenClaims* claims_ = nullptr;  // of the template that is open
  WithoutGroups cluster_;
  answer::Workspace::Impl& work_;
  Findings& findings_;
  read::Review creation_;  // of the Pod
  Title title_;
  bool was_read_ = false;      // the template that open() was called for
  std::size_t templates_ = 0;  // that ask for TPU
  std::map<std::string, std::uint64_t> pinned_;  // slices, by node pool
};

// "replicas is 3"; "replicas is missing, which means 1".
std::string count_in_words(std::string_view key, controllers::Number count);
// "4x4 with 4 chips per Pod has 4 hosts (16 / 4)"
std::string hosts_by_arithmetic(const topology::Slice& slice);

}  // namespace tpuwh::webhook::validate
