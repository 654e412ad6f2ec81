#include "kubectl/predict/outlook/seen_pools.hpp"

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
  pools.for_each_pool([&](std::string_view accelerator, std::string_view topology,
                          std::string_view name, const auto& hosts) {
    if (accelerator != question.accelerator || topology != question.topology) return;
    SeenPool& pool = out.emplace_back(SeenPool{name, {}});
    hosts([&](const Node& node, const auto& holders) {
      const bool selected = webhook::pools::selects(question.pod, node.labels);
      pool.hosts.push_back(
          {&node, selected ? webhook::pools::stand_of(node, holders, question, true, counts)
                           : Stand::not_selected});
    });
    std::ranges::sort(pool.hosts, {},
                      [](const SeenHost& host) -> const std::string& { return host.node->name; });
  });
  return out;
}

std::vector<SeenShape> shapes_of(const webhook::pools::Pools& pools) {
  std::vector<SeenShape> out;
  pools.for_each_pool(
      [&](std::string_view accelerator, std::string_view topology, const auto&, const auto&) {
        if (out.empty() || out.back().accelerator != accelerator || out.back().topology != topology)
          out.push_back({accelerator, topology, 0});
        ++out.back().pools;
      });
  return out;
}

}  // namespace tpuwh::server::outlook
