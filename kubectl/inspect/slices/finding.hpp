// What is wrong with a slice, and what to do about it.
#pragma once

#include "kubectl/inspect/slices/slice_report.hpp"
#include "kubectl/reference/ids/audit_rows.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::slices {

enum class Severity {
  error,    // the slice does not form, or forms wrong
  warning,  // it may: not yet whole, or not all that matters is known
};

struct Finding {
  Severity severity;
  std::string check;         // "duplicate-worker-id": the name of one of ids::audit_rows
  const SliceReport* slice;  // never null
  std::vector<const SliceReport*> others;  // of which it is true as well
  std::vector<std::string> pods;           // names, in the slice's namespace
  std::string what;  // what was found, with the numbers, and what would be right
  std::string fix;   // what a person can do
};

struct Audit {
  std::vector<Finding> findings;
  std::vector<std::string> not_known;  // sentences: what could not be looked at, and why

  std::size_t errors() const;
};

// Where checks put what they find.
class Findings {
 public:
  explicit Findings(const Cluster& cluster) : cluster_(cluster) {}

  const Cluster& cluster() const { return cluster_; }
  // A warning of a slice that rolls over: what is found of old and new Pods passes with the old.
  void error(ids::AuditCheck check, const SliceReport& slice,
             const std::vector<const SeenPod*>& pods, std::string what, std::string fix);
  void warn(ids::AuditCheck check, const SliceReport& slice,
            const std::vector<const SeenPod*>& pods, std::string what, std::string fix);
  // Of the finding that was added last.
  void also_of(std::vector<const SliceReport*> others);
  // Findings of `check` that slices of one workload have alike, and that one deed mends, become
  // one: of the first slice, with the others and their Pods.
  void fold(ids::AuditCheck check);
  // Once, however often it is said.
  void not_known(const std::string& sentence) { not_known_.insert(sentence); }

  Audit take();

 private:
  void add(Severity severity, ids::AuditCheck check, const SliceReport& slice,
           const std::vector<const SeenPod*>& pods, std::string what, std::string fix);

  const Cluster& cluster_;
  std::vector<Finding> findings_;
  std::set<std::string> not_known_;
};

// Words that several checks use.
// "Pod a", "Pods a, b and 2 more"
std::string names_of(const std::vector<const SeenPod*>& pods);
std::string names_of(const std::vector<const StrayPod*>& pods);
// "JobSet ml/a, slice 0 of 2; JobSet ml/b and 3 more"
std::string first_of(const std::vector<const SliceReport*>& slices);
std::string_view have(const std::vector<const SeenPod*>& pods);  // "has" of one Pod

}  // namespace tpuwh::server::slices
