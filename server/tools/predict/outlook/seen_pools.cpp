#include "server/tools/predict/outlook/seen_pools.hpp"

#include <algorithm>

namespace tpuwh::server::outlook {

using webhook::pools::Holder;
using webhook::pools::Node;
using webhook::pools::SliceId;
using webhook::pools::Stand;

std::vector<SeenPool> pools_of(const webhook::pools::Pools& pools,
                               const webhook::read::PoolQuestion& question) {
  const SliceId own = webhook::pools::slice_id(question.slice_key);
  const auto counts = [&](const Holder& holder) {
    return holder.slice == SliceId() || holder.slice != own;
  };
  std::vector<SeenPool> out;
  pools.for_each_host([&](std::string_view accelerator, std::string_view topology,
                          std::string_view pool, const Node& node, const auto& holders) {
    if (accelerator != question.accelerator || topology != question.topology) return;
    if (out.empty() || out.back().name != pool) out.push_back({pool, {}});
    const bool selected = webhook::pools::selects(question.pod, node.labels);
    out.back().hosts.push_back(
        {&node, selected ? webhook::pools::stand_of(node, holders, question, true, counts)
                         : Stand::not_selected});
  });
  for (SeenPool& pool : out)
    std::ranges::sort(pool.hosts, {},
                      [](const SeenHost& host) -> const std::string& { return host.node->name; });
  return out;
}

std::vector<SeenShape> shapes_of(const webhook::pools::Pools& pools) {
  std::vector<SeenShape> out;
  std::string_view last;
  pools.for_each_host([&](std::string_view accelerator, std::string_view topology,
                          std::string_view pool, const Node&, const auto&) {
    const bool fresh =
        out.empty() || out.back().accelerator != accelerator || out.back().topology != topology;
    if (fresh) out.push_back({accelerator, topology, 0});
    if (fresh || pool != last) ++out.back().pools;
    last = pool;
  });
  return out;
}

}  // namespace tpuwh::server::outlook
