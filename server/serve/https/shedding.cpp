#include "server/serve/https/shedding.hpp"

#include <algorithm>
#include <map>

namespace tpuwh::server::https {
namespace {

using ByPeer = std::map<boost::asio::ip::address, std::vector<std::size_t>>;

ByPeer by_peer(const std::vector<Laggard>& laggards, bool idle) {
  ByPeer of;
  for (std::size_t i = 0; i < laggards.size(); ++i)
    if (laggards[i].idle == idle) of[laggards[i].peer].push_back(i);
  return of;
}

}  // namespace

std::vector<std::size_t> choose_to_shed(const std::vector<Laggard>& laggards, std::size_t count) {
  ByPeer of = by_peer(laggards, /*idle=*/false);
  if (of.empty()) of = by_peer(laggards, /*idle=*/true);
  if (of.empty()) return {};
  const auto most =
      std::ranges::max_element(of, {}, [](const auto& address) { return address.second.size(); });
  std::vector<std::size_t> chosen = std::move(most->second);
  std::ranges::stable_sort(chosen, {}, [&](std::size_t i) { return laggards[i].since; });
  chosen.resize(std::min(chosen.size(), count));
  return chosen;
}

}  // namespace tpuwh::server::https
