#include "kubectl/predict/wrappers/runtime_patches.hpp"

#include "base/names.hpp"
#include "kubectl/predict/expand/reading.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

namespace tpuwh::server::wrappers {

namespace {

using expand::array_or_empty;
using expand::check_members;
using expand::object_or_empty;
using expand::Shape;

// Lists whose elements have a name, by the name of the list: the same wherever it stands.
struct Named {
  std::string_view list, key;
};
constexpr std::array named{Named{"containers", "name"},
                           Named{"initContainers", "name"},
                           Named{"env", "name"},
                           Named{"volumes", "name"},
                           Named{"volumeMounts", "mountPath"},
                           Named{"imagePullSecrets", "name"},
                           Named{"schedulingGates", "name"}};

std::string key_of(std::string_view list) {
  const auto found = std::ranges::find(named, list, &Named::list);
  return found == named.end() ? "" : std::string(found->key);
}

// Where one with this name stands; the size where none does.
std::size_t index_of(const Json& list, const std::string& key, const Json& element) {
  const Json& name = text::member(element, key);
  const auto found =
      std::ranges::find_if(list, [&](const Json& each) { return text::member(each, key) == name; });
  return static_cast<std::size_t>(std::distance(list.begin(), found));
}

// An element, and where it stands in the list of the runtime; its size where it does not.
struct Element {
  std::size_t place;
  Json value;
};

// source: mergeSortedSlice. `left` is of the runtime alone, `right` of the patch.
Json in_order(std::vector<Element> left, std::vector<Element> right, std::size_t end) {
  Json out = Json::array();
  auto l = left.begin(), r = right.begin();
  while (l != left.end() || r != right.end()) {
    const bool take_left =
        r == right.end() || (l != left.end() && r->place < end && l->place < r->place);
    out.push_back(std::move(take_left ? l++->value : r++->value));
  }
  return out;
}

void merge_list(Json& value, const Json& patch, const std::string& key) {
  const Json original = std::move(value);
  std::vector<Element> left, right;
  for (std::size_t i = 0; i < original.size(); ++i)
    if (index_of(patch, key, original[i]) == patch.size()) left.push_back({i, original[i]});
  for (const Json& each : patch) {
    const std::size_t place = index_of(original, key, each);
    Json merged = place < original.size() ? original[place] : Json::object();
    merge_strategically(merged, each);
    right.push_back({place, std::move(merged)});
  }
  value = in_order(std::move(left), std::move(right), original.size());
}

// Lists of a patch have at most 128 elements (its CRD); each is looked for in the runtime's.
Result<void> check_sizes(const Json& value, const std::string& path) {
  constexpr std::size_t most_elements = 128, most_members = 1024;
  const bool fits = value.is_array()    ? value.size() <= most_elements
                    : value.is_object() ? value.size() <= most_members
                                        : true;
  if (!fits)
    return bad_value(fmt::format("a part of it has {} elements, which is too many", value.size()),
                     path);
  if (value.is_structured())
    for (const Json& each : value)
      if (auto good = check_sizes(each, path); !good) return good;
  return {};
}

// The fields of an object that a patch may have.
Json kept(const Json& object, std::initializer_list<const char*> keys) {
  Json out = Json::object();
  for (const char* key : keys)
    if (const Json* found = text::find_member(object, key)) out[key] = *found;
  return out;
}

Json kept_containers(const Json& list) {
  Json out = Json::array();
  for (const Json& each : list)
    out.push_back(kept(each, {"name", "env", "volumeMounts", "securityContext"}));
  return out;
}

Json kept_metadata(const Json& holder) {
  return kept(object_or_empty(holder, "metadata"), {"labels", "annotations"});
}

// source: PodTemplatePatch, PodSpecPatch, ContainerPatch.
Json kept_pod_template(const Json& patch) {
  Json spec =
      kept(object_or_empty(patch, "spec"),
           {"serviceAccountName", "volumes", "initContainers", "containers", "imagePullSecrets",
            "securityContext", "nodeSelector", "affinity", "tolerations", "schedulingGates"});
  for (const char* list : {"containers", "initContainers"})
    if (spec.contains(list)) spec[list] = kept_containers(spec[list]);
  return {{"metadata", kept_metadata(patch)}, {"spec", std::move(spec)}};
}

Json kept_job_template(const Json& patch) {
  const Json& job = object_or_empty(patch, "spec");
  return {{"metadata", kept_metadata(patch)},
          {"spec", {{"template", kept_pod_template(object_or_empty(job, "template"))}}}};
}

Result<void> check_job_patch(const Json& patch, const std::string& path) {
  const Json& job = object_or_empty(patch, "template");
  const Json& pod = object_or_empty(object_or_empty(job, "spec"), "template");
  const std::string here = path + ".template.spec.template.spec";
  if (auto good = check_members(object_or_empty(pod, "spec"),
                                {{"containers", Shape::objects},
                                 {"initContainers", Shape::objects},
                                 {"volumes", Shape::objects},
                                 {"imagePullSecrets", Shape::objects},
                                 {"schedulingGates", Shape::objects},
                                 {"tolerations", Shape::objects},
                                 {"nodeSelector", Shape::string_map},
                                 {"affinity", Shape::object}},
                                here);
      !good)
    return good;
  for (const char* list : {"containers", "initContainers"})
    for (const Json& each : array_or_empty(object_or_empty(pod, "spec"), list))
      if (auto good = check_members(
              each, {{"env", Shape::objects}, {"volumeMounts", Shape::objects}}, here + '.' + list);
          !good)
        return good;
  return {};
}

bool has_container(const Json& pod_spec, const Json& name) {
  return std::ranges::any_of(std::array{"containers", "initContainers"}, [&](const char* list) {
    return std::ranges::any_of(array_or_empty(pod_spec, list), [&](const Json& each) {
      return text::member(each, "name") == name;
    });
  });
}

// source: Validate of the jobset plugin.
Result<void> check_containers(const Json& patch, const Json& job, const std::string& path) {
  const auto pod_of = [](const Json& job_template) -> const Json& {
    const Json& spec = object_or_empty(job_template, "spec");
    return object_or_empty(object_or_empty(spec, "template"), "spec");
  };
  const Json& has = pod_of(object_or_empty(job, "template"));
  const Json& wants = pod_of(object_or_empty(patch, "template"));
  for (const char* list : {"containers", "initContainers"})
    for (const Json& each : array_or_empty(wants, list)) {
      const std::string name = text::text_member(each, "name");
      if (!has_container(has, text::member(each, "name")))
        return bad_value(
            fmt::format("the runtime has no container {} in replicated job {}",
                        base::printable(name), base::printable(text::text_member(job, "name"))),
            path);
      const bool by_others =
          name == "node" || name == "dataset-initializer" || name == "model-initializer";
      if (by_others && std::string_view(list) == "containers" &&
          !array_or_empty(each, "env").empty())
        return bad_value(fmt::format("may not set env of container {}: spec.trainer and "
                                     "spec.initializer do",
                                     name),
                         path);
    }
  return {};
}

Result<void> merge_patch(const Json& patch, const std::string& path, Json& jobset_template,
                         std::set<std::string>& patched) {
  const Json& by = object_or_empty(object_or_empty(patch, "trainingRuntimeSpec"), "template");
  merge_strategically(jobset_template["metadata"], kept_metadata(by));
  const std::string here = path + ".trainingRuntimeSpec.template.spec.replicatedJobs";
  const Json& spec = object_or_empty(by, "spec");
  if (auto good = check_members(spec, {{"replicatedJobs", Shape::objects}},
                                path + ".trainingRuntimeSpec.template.spec");
      !good)
    return good;
  Json& jobs = jobset_template["spec"]["replicatedJobs"];
  for (const Json& each : array_or_empty(spec, "replicatedJobs")) {
    if (auto good = check_job_patch(each, here); !good) return good;
    const std::string name = text::text_member(each, "name");
    const std::size_t index = index_of(jobs, "name", each);
    if (index == jobs.size())
      return bad_value(fmt::format("the runtime has no replicated job {}", base::printable(name)),
                       here);
    if (auto good = check_containers(each, jobs[index], here); !good) return good;
    if (!each.contains("template")) continue;
    merge_strategically(jobs[index]["template"],
                        kept_job_template(object_or_empty(each, "template")));
    patched.insert(name);
  }
  return {};
}

}  // namespace

void merge_strategically(Json& value, const Json& patch) {
  if (!value.is_object()) value = Json::object();
  for (const auto& [key, member] : patch.items()) {
    const std::string by = key_of(key);
    const auto there = value.find(key);
    if (member.is_object()) {
      if (!member.empty()) merge_strategically(value[key], member);
    } else if (there != value.end() && there->is_array() && member.is_array() && !by.empty()) {
      merge_list(*there, member, by);
    } else {
      value[key] = member;
    }
  }
}

Result<std::set<std::string>> merge_runtime_patches(const Json& train_job_spec,
                                                    Json& jobset_template) {
  if (auto good = check_members(train_job_spec, {{"runtimePatches", Shape::objects}}, "spec");
      !good)
    return good.error();
  std::set<std::string> patched;
  std::size_t number = 0;
  for (const Json& patch : array_or_empty(train_job_spec, "runtimePatches")) {
    const std::string path = fmt::format("spec.runtimePatches[{}]", number++);
    if (auto good = check_sizes(patch, path); !good) return good.error();
    if (auto good = merge_patch(patch, path, jobset_template, patched); !good) return good.error();
  }
  return patched;
}

}  // namespace tpuwh::server::wrappers
