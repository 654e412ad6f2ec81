#include "kubectl/predict/expand/pod_template.hpp"

#include "base/result.hpp"
#include "kubectl/predict/expand/child.hpp"
#include "kubectl/predict/expand/placeholder.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace tpuwh::server::expand {

namespace {

Result<void> check_container(const Json& container, const std::string& path) {
  if (auto good = check_members(container,
                                {{"name", Shape::string},
                                 {"image", Shape::string},
                                 {"command", Shape::strings},
                                 {"args", Shape::strings},
                                 {"env", Shape::objects},
                                 {"ports", Shape::objects},
                                 {"volumeMounts", Shape::objects},
                                 {"resources", Shape::object}},
                                path);
      !good)
    return good;
  return check_members(object_or_empty(container, "resources"),
                       {{"limits", Shape::object}, {"requests", Shape::object}},
                       below(path, "resources"));
}

Result<void> check_containers(const Json& spec, const char* key, const std::string& path) {
  std::size_t index = 0;
  for (const Json& container : array_or_empty(spec, key)) {
    const std::string here = fmt::format("{}[{}]", below(path, key), index++);
    if (auto good = check_container(container, here); !good) return good;
  }
  return {};
}

Result<void> check_affinity(const Json& spec, const std::string& path) {
  const Json& affinity = object_or_empty(spec, "affinity");
  const std::string here = below(path, "affinity");
  constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    if (auto good = check_members(affinity, {{kind, Shape::object}}, here); !good) return good;
    if (auto good = check_members(object_or_empty(affinity, kind), {{required, Shape::objects}},
                                  below(here, kind));
        !good)
      return good;
  }
  return {};
}

Result<void> check_pod_spec(const Json& spec, const std::string& path) {
  if (array_or_empty(spec, "containers").empty() && !spec.contains("containers"))
    return bad_value("is missing", below(path, "containers"));
  if (auto good = check_members(spec,
                                {{"containers", Shape::objects},
                                 {"initContainers", Shape::objects},
                                 {"volumes", Shape::objects},
                                 {"tolerations", Shape::objects},
                                 {"nodeSelector", Shape::string_map},
                                 {"affinity", Shape::object},
                                 {"restartPolicy", Shape::string},
                                 {"serviceAccountName", Shape::string},
                                 {"priorityClassName", Shape::string},
                                 {"priority", Shape::integer}},
                                path);
      !good)
    return good;
  if (spec["containers"].empty()) return bad_value("has no container", below(path, "containers"));
  for (const char* key : {"containers", "initContainers"})
    if (auto good = check_containers(spec, key, path); !good) return good;
  return check_affinity(spec, path);
}

Json& map_of(Json& pod, const char* key) {
  Json& map = pod["metadata"][key];
  if (!map.is_object()) map = Json::object();
  return map;
}

}  // namespace

std::string Owner::uid() const {
  return uid_of(kind, ns, name);
}

Result<Owner> owner_of(const Json& object, std::string_view api_version, std::string_view kind,
                       const ExpandOptions& options) {
  if (auto good = check_members(object, {{"metadata", Shape::object}}, ""); !good)
    return good.error();
  const Json& metadata = object_or_empty(object, "metadata");
  if (auto good = check_members(metadata,
                                {{"name", Shape::string},
                                 {"generateName", Shape::string},
                                 {"namespace", Shape::string},
                                 {"labels", Shape::string_map},
                                 {"annotations", Shape::string_map}},
                                "metadata");
      !good)
    return good.error();
  Owner owner{std::string(api_version), std::string(kind), text::text_member(metadata, "namespace"),
              text::text_member(metadata, "name")};
  if (owner.ns.empty()) owner.ns = options.ns;
  if (!owner.name.empty()) return owner;
  owner.name = text::text_member(metadata, "generateName");
  if (owner.name.empty()) return bad_value("is missing", "metadata.name");
  owner.name += suffix_of(kind, owner.ns, owner.name, 5);
  return owner;
}

Result<const Json*> need_template(const Json& parent, const char* key, const std::string& path) {
  const Result<const Json*> found = need_object(parent, key, path);
  if (!found) return found;
  if (auto good = check_pod(**found, below(path, key)); !good) return good.error();
  return found;
}

Result<void> check_pod(const Json& pod, const std::string& path) {
  if (auto good = check_members(pod, {{"metadata", Shape::object}}, path); !good) return good;
  if (auto good = check_members(object_or_empty(pod, "metadata"),
                                {{"labels", Shape::string_map},
                                 {"annotations", Shape::string_map},
                                 {"finalizers", Shape::strings},
                                 {"name", Shape::string}},
                                below(path, "metadata"));
      !good)
    return good;
  const Result<const Json*> spec = need_object(pod, "spec", path);
  if (!spec) return spec.error();
  return check_pod_spec(**spec, below(path, "spec"));
}

Json begin_pod(const Json& pod_template, const Owner& owner, std::string_view name,
               std::string_view generate_name) {
  Json metadata = Json::object();
  if (!name.empty()) metadata["name"] = name;
  if (!generate_name.empty()) metadata["generateName"] = generate_name;
  metadata["namespace"] = owner.ns;
  const Json& given = object_or_empty(pod_template, "metadata");
  for (const char* key : {"labels", "annotations"})
    if (!object_or_empty(given, key).empty()) metadata[key] = given[key];
  metadata["ownerReferences"] = owner_references(owner);
  if (!array_or_empty(given, "finalizers").empty()) metadata["finalizers"] = given["finalizers"];
  Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}};
  pod["metadata"] = std::move(metadata);
  pod["spec"] = pod_template["spec"];
  return pod;
}

void set_label(Json& pod, const char* key, std::string value) {
  map_of(pod, "labels")[key] = std::move(value);
}

void set_annotation(Json& pod, const char* key, std::string value) {
  map_of(pod, "annotations")[key] = std::move(value);
}

bool has_annotation(const Json& object, const char* key) {
  return object_or_empty(object_or_empty(object, "metadata"), "annotations").contains(key);
}

void for_each_container(Json& pod, const std::function<void(Json& container)>& change) {
  for (const char* key : {"containers", "initContainers"}) {
    const auto list = pod["spec"].find(key);
    if (list == pod["spec"].end()) continue;
    for (Json& container : *list) change(container);
  }
}

const Json* find_env(const Json& container, std::string_view name) {
  for (const Json& entry : array_or_empty(container, "env"))
    if (text::text_member(entry, "name") == name) return &entry;
  return nullptr;
}

bool has_env(const Json& container, std::string_view name) {
  return find_env(container, name) != nullptr;
}

void append_env(Json& container, std::string_view name, std::string value) {
  container["env"].push_back({{"name", name}, {"value", std::move(value)}});
}

void append_field_env(Json& container, std::string_view name, std::string field_path) {
  Json source = Json::object();
  source["fieldRef"]["fieldPath"] = std::move(field_path);
  container["env"].push_back({{"name", name}, {"valueFrom", std::move(source)}});
}

void append_required(Json& pod, const char* affinity, Json term) {
  Json& kind = pod["spec"]["affinity"][affinity];
  kind["requiredDuringSchedulingIgnoredDuringExecution"].push_back(std::move(term));
}

Json expression(std::string_view key, std::string_view what, const Json& values) {
  Json out = {{"key", key}, {"operator", what}};
  if (!values.is_null()) out["values"] = values;
  return out;
}

}  // namespace tpuwh::server::expand
