#include "kubectl/predict/trial/quota.hpp"

#include "base/counted.hpp"
#include "kubectl/objects/object.hpp"
#include "kubectl/objects/quantity.hpp"
#include "kubectl/predict/trial/scopes.hpp"

#include <fmt/format.h>

namespace tpuwh::server::trial {

namespace {

using objects::at;
using objects::go_number;

// What the demands that a quota counts ask for of one resource, which are all of one kind.
struct Sum {
  std::string kind;
  std::uint64_t count = 0, others = 0;  // of that kind: counted, and not
  double amount = 0;
  bool told = false;  // it is one object, of which the API server has spoken
};

Sum sum_of(const Json& quota, const std::string& resource, std::span<const Demand> demands) {
  Sum out;
  for (const Demand& each : demands) {
    const auto amount = each.each.find(resource);
    if (amount == each.each.end() || amount->second <= 0) continue;
    out.kind = each.kind;
    const bool is_counted =
        each.kind == "Pod" ? counts_pod(quota, each.object).value_or(false) : !has_scopes(quota);
    (is_counted ? out.count : out.others) += each.count;
    if (!is_counted) continue;
    out.amount += amount->second * static_cast<double>(each.count);
    out.told = out.count == 1 && each.counted;
  }
  return out;
}

std::string who(const Json& quota, const Sum& sum) {
  const std::string name = objects::shown_name(quota);
  if (!has_scopes(quota)) return fmt::format("ResourceQuota {}", name);
  return fmt::format("ResourceQuota {}, which counts {} of these {} ({})", name, sum.count,
                     base::counted(sum.count + sum.others, sum.kind), scope_words(quota));
}

std::string all_of(std::uint64_t count, const std::string& kind) {
  return count == 1 ? fmt::format("the {}", kind)
                    : fmt::format("all {}", base::counted(count, kind));
}

}  // namespace

std::vector<Exceeded> exceeded(std::span<const Json> quotas, std::span<const Demand> demands) {
  std::vector<Exceeded> out;
  for (const Json& quota : quotas) {
    const Json& hard = at(quota, {"spec", "hard"});
    if (!hard.is_object()) continue;
    for (const auto& [name, value] : hard.items()) {
      const auto limit = objects::quantity_of(&value);
      const Sum sum = sum_of(quota, long_name(name), demands);
      if (!limit || sum.count == 0 || sum.told) continue;
      const auto taken =
          objects::quantity_of(text::find_member(at(quota, {"status", "used"}), name));
      const double before = taken ? taken->value : 0;
      if (before + sum.amount <= limit->value) continue;
      out.push_back(
          {.what = all_of(sum.count + sum.others, sum.kind),
           .sentence = fmt::format(
               "{}: the {} for {} of {}, and {} of {} are used", who(quota, sum),
               sum.count == 1 ? sum.kind + " asks" : base::plural(sum.kind) + " ask together",
               go_number(sum.amount), name, go_number(before), go_number(limit->value))});
    }
  }
  return out;
}

}  // namespace tpuwh::server::trial
