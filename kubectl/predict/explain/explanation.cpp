#include "kubectl/predict/explain/explanation.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tpuwh::server::explain {

namespace {

template <class T, class F>
auto sum(const std::vector<T>& list, F&& number) {
  return std::transform_reduce(list.begin(), list.end(), std::uint64_t{0}, std::plus<>(), number);
}

}  // namespace

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::no_tpu:
      return "no_tpu";
    case Verdict::fine:
      return "fine";
    case Verdict::doubtful:
      return "doubtful";
    case Verdict::refused:
      break;
  }
  return "refused";
}

std::string_view Finding::finding() const {
  if (id.starts_with("TPU-")) return id;
  const std::string_view own = ids::id_of(ids::explain_rows, id);
  return own.empty() ? ids::id_of(ids::audit_rows, id) : own;
}

std::string Finding::title() const {
  return finding() == id ? id : id + " " + std::string(finding());
}

std::uint64_t Workload::pods() const {
  return sum(groups, [](const Group& group) { return group.pods; });
}

std::uint64_t Workload::claiming_pods() const {
  return sum(claimed, [](const Claimed& each) { return each.pods; });
}

std::uint64_t Workload::chips() const {
  return sum(groups, [](const Group& group) { return group.chips(); });
}

std::uint64_t Workload::slices() const {
  return sum(groups, [](const Group& group) { return group.hosts == 0 ? 0 : group.slices.size(); });
}

Verdict Explanation::worst() const {
  Verdict worst = Verdict::no_tpu;
  for (const Workload& workload : workloads) worst = std::max(worst, workload.verdict);
  return worst;
}

}  // namespace tpuwh::server::explain
