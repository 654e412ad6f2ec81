#include "kubectl/predict/explain/updates.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/predict/explain/pod_json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::explain {

namespace {

// A number, or a part of the replicas: rounded up.
std::uint64_t resolve(const Json& value, std::uint64_t replicas) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  std::string percent = value.is_string() ? value.get<std::string>() : "25%";
  if (!percent.ends_with('%')) return 0;
  percent.pop_back();
  const std::uint64_t part = base::plain_decimal(percent).value_or(0);
  return (replicas * part + 99) / 100;
}

std::string of_deployment(const Json& spec, const Workload& workload) {
  if (text::text_member(text::member(spec, "strategy"), "type") == "Recreate") return {};
  const std::uint64_t more =
      resolve(at(spec, {"strategy", "rollingUpdate", "maxSurge"}), workload.pods());
  if (more == 0) return {};
  // Both at 0 the API server refuses.
  const Json& unavailable = at(spec, {"strategy", "rollingUpdate", "maxUnavailable"});
  const bool none = !unavailable.is_null() && resolve(unavailable, 100) == 0;
  return fmt::format(
      "an update makes {} more (maxSurge) before it ends old ones, which takes as many nodes more; "
      "maxSurge: 0{}, or strategy Recreate, takes none",
      base::counted(more, "Pod"), none ? " with maxUnavailable: 1" : "");
}

// Of a LeaderWorkerSet nothing is made more where it says nothing.
std::string of_lws(const Json& spec, const Workload& workload) {
  const Json& surge = at(spec, {"rolloutStrategy", "rollingUpdateConfiguration", "maxSurge"});
  const Json& replicas = text::member(spec, "replicas");
  const std::uint64_t groups = replicas.is_number_unsigned() ? replicas.get<std::uint64_t>() : 1;
  const std::uint64_t more =
      surge.is_null() || groups == 0 ? 0 : std::min(resolve(surge, groups), groups);
  if (more == 0) return {};
  return fmt::format(
      "an update makes {} more (maxSurge) before it ends old ones, which takes {} more",
      base::counted(more, "group"), base::counted(more * (workload.slices() / groups), "slice"));
}

std::string of_ray_service(const Json& spec, const Workload& workload) {
  if (text::text_member(text::member(spec, "upgradeStrategy"), "type") == "None") return {};
  return fmt::format(
      "an update of its cluster makes a second one beside it until that serves, which takes {} "
      "more",
      base::counted(workload.slices(), "slice"));
}

}  // namespace

std::string update_words(const Json& object, const Workload& workload) {
  const Json& spec = text::member(object, "spec");
  if (workload.pods() == 0) return {};
  if (workload.kind == "Deployment") return of_deployment(spec, workload);
  if (workload.kind == "LeaderWorkerSet") return of_lws(spec, workload);
  return workload.kind == "RayService" ? of_ray_service(spec, workload) : "";
}

}  // namespace tpuwh::server::explain
