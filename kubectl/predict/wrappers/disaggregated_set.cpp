#include "kubectl/predict/wrappers/disaggregated_set.hpp"

#include "base/names.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::wrappers {

namespace {

using expand::array_or_empty;
using expand::check_counts;
using expand::check_members;
using expand::need_object;
using expand::need_text;
using expand::object_or_empty;
using expand::Shape;

constexpr std::size_t least_roles = 2, most_roles = 10;

std::uint64_t replicas_of(const Json& role) {
  return expand::count_or(object_or_empty(role, "spec"), "replicas", 1);
}

Result<void> check_rollout(const Json& spec, const std::string& path) {
  const Json& strategy = object_or_empty(spec, "rolloutStrategy");
  const std::string type = text::text_member(strategy, "type");
  if (!type.empty() && type != "RollingUpdate")
    return bad_value("must be RollingUpdate", path + ".rolloutStrategy.type");
  const Json& update = object_or_empty(strategy, "rollingUpdateConfiguration");
  if (expand::count_or(update, "partition", 0) == 0) return {};
  return bad_value("may not be set: the DisaggregatedSet updates its roles",
                   path + ".rolloutStrategy.rollingUpdateConfiguration.partition");
}

Result<void> check_role(const Json& role, const std::string& path) {
  const auto name = need_text(role, "name", path);
  if (!name) return name.error();
  if (!base::is_dns_label(*name))
    return bad_value(fmt::format("{} is not a label of DNS", base::printable(*name)),
                     path + ".name");
  if (auto good = check_members(role, {{"metadata", Shape::object}}, path); !good) return good;
  if (auto good = check_members(object_or_empty(role, "metadata"),
                                {{"labels", Shape::string_map}, {"annotations", Shape::string_map}},
                                path + ".metadata");
      !good)
    return good;
  const auto spec = need_object(role, "spec", path);
  if (!spec) return spec.error();
  if (auto good = check_counts(**spec, {"replicas"}, path + ".spec"); !good) return good;
  const auto group = need_object(**spec, "leaderWorkerTemplate", path + ".spec");
  if (!group) return group.error();
  const std::string here = path + ".spec.leaderWorkerTemplate";
  if (auto good = expand::need_template(**group, "workerTemplate", here); !good)
    return good.error();
  if ((*group)->contains("leaderTemplate"))
    if (auto good = expand::need_template(**group, "leaderTemplate", here); !good)
      return good.error();
  return check_rollout(**spec, path + ".spec");
}

Result<void> check_roles(const Json& spec) {
  if (auto good = check_members(spec, {{"roles", Shape::objects}}, "spec"); !good) return good;
  const Json& roles = array_or_empty(spec, "roles");
  if (roles.size() < least_roles || roles.size() > most_roles)
    return bad_value(
        fmt::format("must be {} to {} roles, got {}", least_roles, most_roles, roles.size()),
        "spec.roles");
  std::size_t number = 0;
  for (const Json& role : roles)
    if (auto good = check_role(role, fmt::format("spec.roles[{}]", number++)); !good) return good;
  const auto without =
      std::ranges::count_if(roles, [](const Json& role) { return replicas_of(role) == 0; });
  if (without == 0 || static_cast<std::size_t>(without) == roles.size()) return {};
  return bad_value("replicas must be 0 for all roles or for none", "spec.roles");
}

Json merged(const Json& labels, const Json& own) {
  Json out = labels;
  out.update(own);
  return out;
}

void label_template(Json& group, const char* key, const Json& own) {
  if (!group.contains(key)) return;
  Json& metadata = group[key]["metadata"];
  metadata["labels"] = merged(object_or_empty(metadata, "labels"), own);
}

Json lws_of(const Json& role, const expand::Owner& self, const std::string& revision) {
  const std::string name = text::text_member(role, "name");
  const Json own{{"app", fmt::format("{}-{}", self.name, name)},
                 {"disaggregatedset.x-k8s.io/role", name},
                 {"disaggregatedset.x-k8s.io/name", self.name},
                 {"disaggregatedset.x-k8s.io/revision", revision}};
  const Json& metadata = object_or_empty(role, "metadata");
  Json out{{"apiVersion", "leaderworkerset.x-k8s.io/v1"}, {"kind", "LeaderWorkerSet"}};
  out["metadata"] = {{"name", fmt::format("{}-{}-{}", self.name, revision, name)},
                     {"namespace", self.ns},
                     {"labels", merged(object_or_empty(metadata, "labels"), own)}};
  if (metadata.contains("annotations")) out["metadata"]["annotations"] = metadata["annotations"];
  out["spec"] = role["spec"];
  out["spec"]["replicas"] = replicas_of(role);
  for (const char* key : {"leaderTemplate", "workerTemplate"})
    label_template(out["spec"]["leaderWorkerTemplate"], key, own);
  return out;
}

}  // namespace

Making make_of_disaggregated_set(const Json& object, const expand::Owner& self, const Beside&) {
  const auto spec = need_object(object, "spec", "");
  if (!spec) return refused(spec.error());
  if (auto good = check_roles(**spec); !good) return refused(good.error());
  // The form that the hash has.
  const std::string revision = self.uid().substr(0, 8);
  Making out;
  std::size_t number = 0;
  for (const Json& role : array_or_empty(**spec, "roles")) {
    Made& made = out.made.emplace_back();
    made.object = lws_of(role, self, revision);
    made.of = fmt::format("role {}", text::text_member(role, "name"));
    const std::string at = fmt::format("/spec/roles/{}", number++);
    made.origin.written = {
        {"/spec", self.kind, self.ns, self.name, at + "/spec"},
        {"/metadata/annotations", self.kind, self.ns, self.name, at + "/metadata/annotations"}};
    made.origin.made_up = {
        {fmt::format("{}-{}", self.name, revision), fmt::format("{}-*", self.name)}};
  }
  return out;
}

}  // namespace tpuwh::server::wrappers
