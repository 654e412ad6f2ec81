#include "kubectl/inspect/slices/tally.hpp"

#include "webhook/read/vocabulary.hpp"

#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace tpuwh::server::slices {

namespace {

// Those without a value come behind those with one.
struct Key {
  bool none;
  std::string value, accelerator;

  bool operator<(const Key& other) const {
    return std::tie(none, value, accelerator) <
           std::tie(other.none, other.value, other.accelerator);
  }
};

std::string accelerator_of(const Cluster& cluster, const SeenPod& pod) {
  const auto* node = cluster.node_of(pod);
  const std::string_view label =
      node == nullptr ? std::string_view() : node->labels.value(webhook::read::key::accelerator);
  return label.empty() ? pod.accelerator : std::string(label);
}

class Counter {
 public:
  Counter(const Cluster& cluster, const ValueOf& value_of)
      : cluster_(cluster), value_of_(value_of) {}

  void add(const SliceReport& slice) {
    std::set<Key> rows;
    std::set<std::string> accelerators;
    const bool lives = !slice.members.empty() || !slice.leaving.empty();
    for (const auto* pods : {&slice.members, &slice.leaving, &slice.ended})
      for (const SeenPod* pod : *pods) {
        if (lives && pods == &slice.ended) continue;
        const Key key = key_of(*pod);
        add_chips(*pod, slice.phase, key);
        accelerators.insert(key.accelerator);
        rows.insert(key);
      }
    for (const Key& key : rows) ++rows_[key].slices[slice.phase];
    for (const std::string& each : accelerators) ++totals_[each].slices[slice.phase];
    ++out_.total.slices[slice.phase];
    if (rows.size() > 1) ++out_.slices_in_several;
  }

  Tally take() {
    for (auto& [key, counts] : rows_)
      out_.rows.push_back(
          {key.none ? std::nullopt : std::optional(key.value), key.accelerator, counts});
    for (auto& [accelerator, counts] : totals_)
      out_.totals.push_back({std::nullopt, accelerator, counts});
    return std::move(out_);
  }

 private:
  Key key_of(const SeenPod& pod) const {
    auto value = value_of_(pod);
    const bool none = !value;
    return {none, std::move(value).value_or(std::string()), accelerator_of(cluster_, pod)};
  }

  void add_chips(const SeenPod& pod, Phase phase, const Key& key) {
    for (Counts* counts : {&rows_[key], &totals_[key.accelerator], &out_.total}) {
      if (pod.live() && !pod.node.empty()) counts->held[phase] += pod.chips;
      if (pod.staying() && pod.node.empty()) counts->waiting += pod.chips;
    }
  }

  const Cluster& cluster_;
  const ValueOf& value_of_;
  std::map<Key, Counts> rows_;
  std::map<std::string, Counts> totals_;
  Tally out_;
};

}  // namespace

std::uint64_t ByPhase::sum() const {
  return std::accumulate(numbers_.begin(), numbers_.end(), std::uint64_t{0});
}

Tally tally_of(const Cluster& cluster, const std::vector<SliceReport>& slices,
               const ValueOf& value_of) {
  Counter counter(cluster, value_of);
  for (const SliceReport& slice : slices) counter.add(slice);
  return counter.take();
}

}  // namespace tpuwh::server::slices
