// Whether a ResourceQuota of the namespace lets another replica be created.
#include "kubectl/inspect/doctor/check.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

constexpr auto quota_line = "quota";

// A quota of some Pods alone says whose; of those that are no priority class only the API server
// knows, and they are taken for ours.
bool may_be_ours(const Json& quota, const std::string& priority_class) {
  const Json& terms =
      text::member(text::member(text::member(quota, "spec"), "scopeSelector"), "matchExpressions");
  return std::all_of(terms.begin(), terms.end(), [&](const Json& each) {
    if (text::text_member(each, "scopeName") != "PriorityClass") return true;
    const Json& values = text::member(each, "values");
    const bool named =
        std::find(values.begin(), values.end(), Json(priority_class)) != values.end();
    const std::string how = text::text_member(each, "operator");
    if (how == "In") return named;
    if (how == "NotIn") return !named;
    return how == "Exists" ? !priority_class.empty() : priority_class.empty();
  });
}

// "pods (3 of 3)": quantities are compared as they are written, so that of others nothing is said.
std::vector<std::string> used_up(const Json& quota) {
  const Json& status = text::member(quota, "status");
  std::vector<std::string> out;
  const Json& hard = text::member(status, "hard");
  if (!hard.is_object()) return out;
  for (const auto& [resource, most] : hard.items())
    if (const Json& used = text::member(text::member(status, "used"), resource);
        used == most && most.is_string())
      out.push_back(
          fmt::format("{} ({} of {})", resource, used.get<std::string>(), most.get<std::string>()));
  return out;
}

}  // namespace

void check_quotas(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  if (!view.quotas.there()) return unknown(out, quota_line, view.quotas.why);
  const std::string priority_class =
      text::text_member(pod_spec(view.deployment.object), "priorityClassName");
  std::vector<std::string> names, full;
  for (const Json& each : view.quotas.items) {
    if (!may_be_ours(each, priority_class)) continue;
    names.push_back(name_of_object(each));
    if (const auto all = used_up(each); !all.empty())
      full.push_back(fmt::format("{}: {}", name_of_object(each), fmt::join(all, ", ")));
  }
  if (!full.empty())
    return warn(out, quota_line,
                fmt::format("a ResourceQuota of {} is used up ({}): no further replica can be "
                            "created, by an upgrade or on another node",
                            view.ns, fmt::join(full, "; ")),
                "ask its owner for more, or for a namespace of tpu-webhook's own");
  ok(out, quota_line,
     names.empty() ? fmt::format("no ResourceQuota of {} applies to the replicas", view.ns)
                   : fmt::format("ResourceQuotas of {} ({}) are not used up", view.ns,
                                 fmt::join(names, ", ")));
}

}  // namespace tpuwh::server::doctor
