#include "kubectl/predict/explain/pool_names.hpp"

#include "kubectl/reference/catalog/gcloud.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>

namespace tpuwh::server::explain {

void number_pools(std::vector<Workload>& workloads) {
  std::map<std::string, std::uint32_t> made;
  for (Workload& workload : workloads)
    for (Group& group : workload.groups) {
      if (!group.pool || !group.no_pool.empty()) continue;
      catalog::PoolOptions& options = group.pool_options;
      std::uint32_t& before = made[catalog::pool_name(*group.pool, options)];
      if (!options.name.empty() && before > 0) {
        group.no_pool =
            fmt::format("its Pods select node pool {}, which is the one above", options.name);
        continue;
      }
      options.before = before;
      before += catalog::pool_count(*group.pool, options);
    }
}

}  // namespace tpuwh::server::explain
