#include "webhook/pools/pools.hpp"

#include "base/names.hpp"
#include "topology/dims.hpp"
#include "webhook/pools/fit.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::webhook::pools {

namespace {

// Of the hexadecimal system; -1 for what is none.
constexpr auto digits = [] {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  for (std::int8_t i = 0; i < 10; ++i) table[static_cast<std::size_t>('0' + i)] = i;
  for (std::int8_t i = 0; i < 6; ++i)
    table[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(10 + i);
  return table;
}();
int digit(char c) {
  return digits[static_cast<unsigned char>(c)];
}

// What is counted to 0 is not kept.
template <class Counts, class Key>
void add(Counts& counts, const Key& key, int by) {
  const auto count = counts.try_emplace(key).first;
  if ((count->second += by) == 0) counts.erase(count);
}

bool is_sound(const Node& node) {
  return node.ready && !node.unschedulable && node.chips > 0 &&
         std::ranges::all_of(node.taints,
                             [](const Taint& taint) { return taint.key == read::key::tpu; });
}

std::uint64_t chips_of(std::string_view topology) {
  const auto dims = topology::Dims::parse(topology);
  return dims ? dims->chips() : 0;
}

}  // namespace

SliceId slice_id(std::string_view slice_key) {
  SliceId id{};
  if (slice_key.size() != 2 * id.size()) return id;
  int all = 0;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const int high = digit(slice_key[2 * i]), low = digit(slice_key[2 * i + 1]);
    all |= high | low;
    id[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return all < 0 ? SliceId() : id;
}

// --- Nodes --------------------------------------------------------------------------------

Pools::Host& Pools::host_of(std::string_view node) {
  const auto found = hosts_.find(node);
  return found != hosts_.end() ? found->second
                               : hosts_.try_emplace(std::string(node)).first->second;
}

void Pools::put(Node node, Generation generation) {
  Host& host = host_of(node.name);
  leave(host);
  if (!std::exchange(host.known, true)) ++known_;
  host.generation = generation;
  host.node = std::move(node);
  enter(host);
}

void Pools::remove(std::string_view node) {
  const auto found = hosts_.find(node);
  if (found == hosts_.end() || !found->second.known) return;
  Host& host = found->second;
  leave(host);
  host.known = false;
  --known_;
  erase_unless_used(host);
}

void Pools::remove_older(Generation generation) {
  std::vector<std::string> older;
  for (const auto& [name, host] : hosts_)
    if (host.known && host.generation != generation) older.push_back(name);
  for (const std::string& name : older) remove(name);
}

const Node* Pools::find(std::string_view node) const {
  const auto found = hosts_.find(node);
  return found != hosts_.end() && found->second.known ? &found->second.node : nullptr;
}

void Pools::erase_unless_used(Host& host) {
  if (!host.known && host.holders.empty()) hosts_.erase(hosts_.find(host.node.name));
}

void Pools::enter(Host& host) {
  const Labels& labels = host.node.labels;
  const std::string_view name = host.node.pool(),
                         accelerator = labels.value(read::key::accelerator),
                         topology = labels.value(read::key::topology);
  if (name.empty() || accelerator.empty() || topology.empty()) return;
  auto shape = shapes_.find(ByShape::View(accelerator, topology));
  if (shape == shapes_.end()) {
    shape = shapes_.try_emplace(ShapeName(std::string(accelerator), std::string(topology))).first;
    shape->second.chips = chips_of(topology);
  }
  const auto pool = shape->second.pools.try_emplace(std::string(name)).first;
  pool->second.name = pool->first;
  pool->second.nameable = base::is_label_value(name);
  pool->second.shape = &shape->second;
  if (!pool->second.hosts.empty())
    host.node.labels.share_with(pool->second.hosts.back()->node.labels);
  pool->second.hosts.push_back(&host);
  host.pool = &pool->second;
  count(pool->second, host, 1);
  look_again(pool->second);
}

void Pools::leave(Host& host) {
  if (host.pool == nullptr) return;
  Pool& pool = *std::exchange(host.pool, nullptr);
  std::erase(pool.hosts, &host);
  count(pool, host, -1);
  if (!pool.hosts.empty()) return look_again(pool);
  pool.shape->doubtful.erase(pool.name);
  pool.shape->pools.erase(pool.shape->pools.find(pool.name));
}

// --- Pods ---------------------------------------------------------------------------------

Pools::Host& Pools::hold(std::string_view node, const Holder& holder) {
  Host& host = host_of(node);
  if (!host.known) host.node.name = node;
  host.holders.push_back(holder);
  count_holder(host, holder, 1);
  return host;
}

void Pools::release(Host& host, const Holder& holder) {
  const auto held = std::ranges::find(host.holders, holder);
  *held = host.holders.back();
  host.holders.pop_back();
  count_holder(host, holder, -1);
  erase_unless_used(host);
}

// --- Counts -------------------------------------------------------------------------------

std::optional<std::int32_t> Pools::kind_of(const Holder& holder) {
  if (holder.slice == SliceId()) return std::nullopt;
  return holder.priority;
}

void Pools::count(Pool& pool, const Host& host, int by) {
  const Node& node = host.node;
  pool.chips += by * std::int64_t{node.chips};
  if (!is_sound(node)) pool.unsound += by;
  add(pool.sizes, node.chips, by);
  for (const Holder& holder : host.holders) add(pool.kinds, kind_of(holder), by);
  count_held(pool, host, by);
}

void Pools::count_holder(Host& host, const Holder& holder, int by) {
  if (host.pool != nullptr) count_held(*host.pool, host, -1);
  host.held += by * std::int64_t{holder.chips};
  if (holder.slice != SliceId()) add(bound_, holder.slice, by);
  if (host.pool == nullptr) return;
  count_held(*host.pool, host, 1);
  add(host.pool->kinds, kind_of(holder), by);
  look_again(*host.pool);
}

void Pools::count_held(Pool& pool, const Host& host, int by) {
  if (host.held > 0) pool.held += by;
  if (host.held >= host.node.chips) pool.full += by;
}

// Certain are: a pool with all its hosts, each sound, that nobody holds; and one without room whose
// holders are alike to whoever asks.
void Pools::look_again(Pool& pool) {
  const bool whole = pool.unsound == 0 && pool.sizes.size() == 1 &&
                     std::cmp_greater_equal(pool.chips, pool.shape->chips);
  const bool free = pool.held == 0;
  const bool taken = std::cmp_equal(pool.full, pool.hosts.size()) && pool.kinds.size() == 1;
  if (whole && (free || taken))
    pool.shape->doubtful.erase(pool.name);
  else
    pool.shape->doubtful.emplace(pool.name, &pool);
}

// --- What is asked ------------------------------------------------------------------------

namespace {

struct Candidate {
  const std::string_view* name;
  std::uint32_t usable;
};

// What may still be compared for one question.
class Comparisons {
 public:
  explicit Comparisons(const read::Pod& pod) : each_(criteria_of(pod)) {}
  // Whether so many nodes more can be looked at.
  bool allow(std::size_t nodes) {
    if (each_ <= few_criteria) return true;
    if (nodes > left_ / each_) return false;
    left_ -= nodes * each_;
    return true;
  }

 private:
  std::size_t each_, left_ = max_comparisons;
};

// Names differ.
bool matters_more(const Candidate& one, const Candidate& other) {
  return one.usable != other.usable ? one.usable > other.usable : *one.name < *other.name;
}

}  // namespace

void Pools::unfit(const read::PoolQuestion& question, base::NameList& out) const {
  out.clear();
  const auto shape = shapes_.find(ByShape::View(question.accelerator, question.topology));
  if (shape == shapes_.end() || shape->second.doubtful.empty()) return;
  if (bound_.contains(slice_id(question.slice_key))) return;
  const bool all_selected = selects_by_shape(question.pod);
  Comparisons comparisons(question.pod);
  // Chips that our anti-affinity does not speak of: those of strangers and of other priorities.
  const auto counts = [&](const Holder& holder) {
    return holder.slice == SliceId() || holder.priority != question.priority;
  };
  // By name; from max_unfit on a heap: in front the one that matters least.
  std::array<Candidate, max_unfit> kept;
  std::size_t count = 0;
  bool more = false;
  for (const auto& [name, pool] : shape->second.doubtful) {
    if (!comparisons.allow(pool->hosts.size())) return;
    std::uint32_t usable = 0;
    for (const Host* host : pool->hosts)
      if (stand_of(host->node, host->holders, question, all_selected, counts) == Stand::usable)
        ++usable;
    if (usable == 0 || usable >= question.hosts || !pool->nameable) continue;
    const Candidate candidate{&name, usable};
    if (count < kept.size()) {
      kept[count++] = candidate;
      continue;
    }
    if (!std::exchange(more, true)) std::ranges::make_heap(kept, matters_more);
    if (!matters_more(candidate, kept.front())) continue;
    std::ranges::pop_heap(kept, matters_more);
    kept.back() = candidate;
    std::ranges::push_heap(kept, matters_more);
  }
  if (more) std::ranges::sort(kept, {}, [](const Candidate& each) { return *each.name; });
  for (const Candidate& each : std::span(kept).first(count)) out.add(*each.name);
}

}  // namespace tpuwh::webhook::pools
