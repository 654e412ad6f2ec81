#include "server/tools/predict/trial/quota.hpp"

#include "server/tools/objects/object.hpp"
#include "server/tools/objects/quantity.hpp"

#include <fmt/format.h>

namespace tpuwh::server::trial {

namespace {

using objects::at;
using objects::go_number;

// "cpu" and "memory" are their requests; "count/pods" is the number of Pods.
//   source  https://kubernetes.io/docs/concepts/policy/resource-quotas/ (read 2026-11)
std::string long_name(const std::string& name) {
  if (name == "cpu" || name == "memory") return "requests." + name;
  if (name == "count/pods") return "pods";
  return name;
}

bool has_scopes(const Json& quota) {
  return !at(quota, {"spec", "scopes"}).empty() || !at(quota, {"spec", "scopeSelector"}).empty();
}

}  // namespace

std::vector<std::string> exceeded(const std::vector<Json>& quotas, const Amounts& sums) {
  std::vector<std::string> out;
  for (const Json& quota : quotas) {
    const Json& hard = at(quota, {"spec", "hard"});
    if (!hard.is_object() || has_scopes(quota)) continue;
    const Json& used = at(quota, {"status", "used"});
    for (const auto& [name, value] : hard.items()) {
      const auto asked = sums.find(long_name(name));
      const auto limit = objects::quantity_of(&value);
      if (asked == sums.end() || !limit) continue;
      const auto taken = objects::quantity_of(text::find_member(used, name));
      const double before = taken ? taken->value : 0;
      if (before + asked->second <= limit->value) continue;
      out.push_back(
          fmt::format("ResourceQuota {}: the Pods ask together for {} of {}, and {} of {} are used",
                      objects::shown_name(quota), go_number(asked->second), name, go_number(before),
                      go_number(limit->value)));
    }
  }
  return out;
}

}  // namespace tpuwh::server::trial
