#include "kubectl/inspect/source/snapshot_file.hpp"

#include "base/result.hpp"
#include "kubectl/inspect/source/holdings.hpp"
#include "kubectl/inspect/source/latest.hpp"
#include "kubectl/inspect/source/newest_time.hpp"
#include "kubectl/text/near_miss.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::source {

namespace {

using Kinds = std::vector<std::string_view>;

// Returns the kinds of objects that may have made a Pod, directly or through another object. These
// objects are read to follow the owner references of Pods (kubectl/inspect/slices/owners.hpp).
// Namespaces are included so that a missing namespace can be reported.
Kinds makers() {
  Kinds out{"ReplicaSet", "DaemonSet", "TrainJob", "Namespace"};
  for (const auto& workload : webhook::workloads::workloads())
    for (const auto& object : workload.objects)
      if (object.kind != "RayCluster") out.push_back(object.kind);  // it is `around`, too
  return out;
}
const Kinds owners = makers();
const Kinds around = {"Node",          "Service",     "RayCluster",   "ResourceClaimTemplate",
                      "ResourceClaim", "DeviceClass", "ResourceSlice"};
const Kinds queues = {"LocalQueue", "ClusterQueue", "ResourceFlavor", "ComputeClass"};

Kinds with(Kinds kinds, const Kinds& more) {
  kinds.insert(kinds.end(), more.begin(), more.end());
  return kinds;
}

// Returns a shell command that runs `kubectl get` for each kind in `resources` separately. A
// `kubectl get` of several kinds prints no objects at all if the cluster does not know one of the
// kinds. A kind is unknown if, for example, its CustomResourceDefinition is missing.
std::string one_by_one(std::string_view resources) {
  return fmt::format("for kind in {}; do kubectl get $kind -A -o json; done", resources);
}

constexpr std::string_view resources_of_slices =
    "pods nodes services rayclusters resourceclaimtemplates resourceclaims deviceclasses "
    "resourceslices";

}  // namespace

bool Reads::has(std::string_view kind) const {
  return std::ranges::find(needs, kind) != needs.end() ||
         std::ranges::find(also, kind) != also.end();
}

const Reads& reads_of_slices() {
  static const Reads reads{
      {"Pod"}, "no Pod", with(around, owners), one_by_one(resources_of_slices)};
  return reads;
}

const Reads& reads_of_review() {
  static const Reads reads{with({"Pod"}, around), "nothing of a cluster that is read here", owners,
                           one_by_one(resources_of_slices)};
  return reads;
}

const Reads& reads_of_outlook() {
  static const Reads reads{
      with(with({"Pod"}, around), queues), "nothing of a cluster that is read here", owners,
      one_by_one(fmt::format("{} localqueues clusterqueues resourceflavors computeclasses",
                             resources_of_slices))};
  return reads;
}

Error SnapshotFile::fault(const std::string& what) const {
  return bad_value(fmt::format("{}; create it with {}", what, reads_.made_with));
}

Result<void> SnapshotFile::look_for_needs(const Input& input, const Holdings& holdings) const {
  const std::string name = input.files().size() == 1 ? input.files().front() : "the snapshot";
  const auto is_there = [&](std::string_view kind) {
    return holdings.has(kind) || lists_.contains(kind);
  };
  if (std::ranges::any_of(reads_.needs, is_there)) return {};
  if (holdings.empty())
    return may_be_empty_ ? Result<void>() : Result<void>(fault(name + " holds no objects"));
  return fault(fmt::format("{} holds {}, but {}", name, reads_.lacks, holdings.words()));
}

void SnapshotFile::tell_left_out(const Input& input, const Holdings& holdings,
                                 std::size_t replaced) {
  const std::string left = holdings.words_without(with(reads_.needs, reads_.also));
  if (!left.empty()) not_known_.push_back("left out, since nothing of them is read: " + left);
  const auto of_a_manifest = std::ranges::count_if(input.objects(), [](const auto& object) {
    return object.kind == "Pod" && object.uid.empty() && !object.has_status;
  });
  if (of_a_manifest > 0)
    not_known_.push_back(fmt::format(
        "{} of the Pods with neither uid nor status, as in a manifest, which kubectl tpu "
        "explain reads",
        of_a_manifest));
  if (replaced > 0)
    not_known_.push_back(fmt::format(
        "{} of the objects left out, since a newer one of the same kind and name exists",
        replaced));
  for (const std::string& each : input.lists().cut_short) not_known_.push_back(each);
  for (const std::string& each : input.empty()) not_known_.push_back(each + " is empty");
}

// Pods last, and each parsed when its turn comes.
Result<void> SnapshotFile::tell(const Input& input, const Each& each) {
  NewestTime newest;
  for (const bool pods : {false, true})
    for (const Input::Object& object : input.objects()) {
      if (!object.is_object || (object.kind == "Pod") != pods) continue;
      auto value = object.value();
      if (!value) return fault(fmt::format("{}: {}", object.file, value.error().text()));
      newest.look_at(*value);
      const Json& metadata = text::member(*value, "metadata");
      const bool is_namespace = object.kind == "Namespace";
      if (!metadata.is_null()) {
        has_namespaces_ = has_namespaces_ || is_namespace;
        namespaces_.insert(text::text_member(metadata, is_namespace ? "name" : "namespace"));
      }
      if (Holdings::kind_of(object) == object.kind) each(object.kind, *value);
    }
  now_ = newest.get();
  return {};
}

Result<void> SnapshotFile::for_each(const Each& each) {
  namespaces_.clear();
  has_namespaces_ = false;
  not_known_.clear();
  now_.reset();
  auto input = Input::read(files_, in_,
                           {.each = text::max_snapshot_bytes,
                            .together = SIZE_MAX,
                            .twice = text::Twice::refused,
                            .skip_empty = true});
  if (!input) return fault(input.error().text());
  lists_ = input->lists().typed;
  const std::size_t replaced = keep_latest(input->objects(), true);
  const Holdings holdings(input->objects());
  if (auto fine = look_for_needs(*input, holdings); !fine) return fine;
  tell_left_out(*input, holdings, replaced);
  return tell(*input, each);
}

std::string SnapshotFile::missing_namespace(const std::string& ns) {
  if (namespaces_.contains(ns)) return {};
  const std::vector<std::string> known(namespaces_.begin(), namespaces_.end());
  const std::string hint = text::did_you_mean(text::closest(ns, known));
  return has_namespaces_ ? fmt::format("namespace {} does not exist{}", ns, hint)
                         : fmt::format("the snapshot holds no object in namespace {}{}", ns, hint);
}

}  // namespace tpuwh::server::source
