#include "kubectl/reference/catalog/cited_sources.hpp"

#include <set>
#include <span>
#include <string_view>

namespace tpuwh::server::catalog {

std::vector<topology::Source> cited_sources() {
  std::set<std::string_view> ids;
  const auto cite = [&](std::span<const std::string_view> more) {
    ids.insert(more.begin(), more.end());
  };
  for (const auto& generation : topology::generations()) {
    cite(generation.sources);
    for (const auto& machine : generation.machine_types) {
      cite(machine.sources);
      for (const auto& row : machine.topologies) cite(row.sources);
    }
  }
  std::vector<topology::Source> result;
  for (const auto& source : topology::sources()) {
    if (ids.contains(source.id)) result.push_back(source);
  }
  return result;
}

}  // namespace tpuwh::server::catalog
