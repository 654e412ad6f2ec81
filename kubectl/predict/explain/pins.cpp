#include "kubectl/predict/explain/pins.hpp"

#include "webhook/placement/placement.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

namespace tpuwh::server::explain {

namespace {

constexpr std::size_t most_told = 4;

void tell_of(const std::string& pool, const Workload& other, Workload& one) {
  one.notes.push_back(
      fmt::format("node pool {} is also selected by {} {}/{}: it is one slice, so one runs after "
                  "the other, or each holds a part of it and waits",
                  pool, other.kind, other.ns, other.name));
}

}  // namespace

void Pins::add(const slices::SeenPod& seen, std::size_t workload) {
  const bool pinned = seen.terms == webhook::placement::Terms::pinned &&
                      seen.domain_key == webhook::read::key::node_pool;
  if (pinned && seen.multi_host() && !seen.placed_by_others) by_pool_[seen.domain].insert(workload);
}

void Pins::tell(std::vector<Workload>& workloads) const {
  for (const auto& [pool, all] : by_pool_)
    for (const std::size_t one : all) {
      std::size_t told = 0;
      for (auto other = all.begin(); other != all.end() && told < most_told; ++other) {
        if (one == *other) continue;
        tell_of(pool, workloads[*other], workloads[one]);
        ++told;
      }
    }
}

}  // namespace tpuwh::server::explain
