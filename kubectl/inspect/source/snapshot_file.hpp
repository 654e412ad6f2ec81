// A cluster as kubectl printed it, in files.
#pragma once

#include "kubectl/inspect/source/input.hpp"
#include "kubectl/inspect/source/object_source.hpp"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::source {

class Holdings;

// What a command reads of a snapshot.
struct Reads {
  std::vector<std::string_view> needs;  // kinds, without all of which there is nothing to answer
  std::string_view lacks;               // which a file does not hold then: "no Pod"
  std::vector<std::string_view> also;   // that are read besides; others are told as left out
  std::string made_with;                // a command that prints them, and works where a
                                        // CustomResourceDefinition is missing

  bool has(std::string_view kind) const;
};

const Reads& reads_of_slices();   // and audit: Pods, and what is around them
const Reads& reads_of_review();   // the same, where there may be no Pods yet
const Reads& reads_of_outlook();  // explain's: with the quota of Kueue and GKE's ComputeClasses

// The latest state of each object (objects.hpp), in files and folders; "-" is `in`.
class SnapshotFile final : public ObjectSource {
 public:
  // `reads` outlives it.
  SnapshotFile(std::vector<std::string> files, std::istream& in,
               const Reads& reads = reads_of_slices())
      : files_(std::move(files)), in_(in), reads_(reads) {}

  // Where the cluster is only what is around, one without objects is a cluster, too.
  void may_be_empty() { may_be_empty_ = true; }

  // Kinds that are not read come, too, as they stand there.
  //
  //   errors  a sentence that says how a snapshot is made: Input::read()'s; bad_value for no
  //           object, or none of a kind that is needed and no typed list of one, with what there is
  //   cost    memory: the text and once more half of it, and one object at a time
  Result<void> for_each(const Each& each) override;
  std::string missing_namespace(const std::string& ns) override;

  // Of the last for_each: what was left out, by kind and number, and lists that go on elsewhere.
  std::vector<std::string> not_known() const override { return not_known_; }
  // The newest moment that its objects tell of (newest_time.hpp); nothing where they tell of none.
  std::optional<std::chrono::system_clock::time_point> now() const override { return now_; }
  bool of_file() const override { return true; }
  bool has_list_of(std::string_view kind) const override { return lists_.contains(kind); }

 private:
  Error fault(const std::string& what) const;
  Result<void> look_for_needs(const Input& input, const Holdings& holdings) const;
  void tell_left_out(const Input& input, const Holdings& holdings, std::size_t replaced);
  Result<void> tell(const Input& input, const Each& each);

  std::vector<std::string> files_;
  std::istream& in_;
  const Reads& reads_;
  std::set<std::string> namespaces_;  // of the objects, and the Namespaces themselves
  bool has_namespaces_ = false;       // a Namespace was among them
  bool may_be_empty_ = false;
  std::set<std::string, std::less<>> lists_;
  std::vector<std::string> not_known_;
  std::optional<std::chrono::system_clock::time_point> now_;
};

}  // namespace tpuwh::server::source
