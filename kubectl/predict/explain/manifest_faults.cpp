#include "kubectl/predict/explain/manifest_faults.hpp"

#include "base/names.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "kubectl/predict/explain/pod_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tpuwh::server::explain {

namespace {

// Of these a "$" or a "<" is for whoever reads them.
constexpr std::array<std::string_view, 22> free_text{
    "args",          "command",      "env",
    "envFrom",       "image",        "workingDir",
    "volumes",       "volumeMounts", "volumeClaimTemplates",
    "lifecycle",     "annotations",  "livenessProbe",
    "status",        "entrypoint",   "readinessProbe",
    "startupProbe",  "data",         "runtimeEnvYAML",
    "description",   "stringData",   "serveConfigV2",
    "rayStartParams"};

// Of slices: what names them, counts them, and says which nodes they are for.
bool is_essential(std::string_view path) {
  constexpr std::array<std::string_view, 4> within{".nodeSelector.", ".nodeAffinity.",
                                                   ".resources.", ".selector."};
  constexpr std::array<std::string_view, 14> last{
      "metadata.name", "metadata.namespace", "generateName", "parallelism", "completions",
      "replicas",      "minReplicas",        "maxReplicas",  "numOfHosts",  "size",
      "subGroupSize",  "subdomain",          "serviceName",  "groupName"};
  return std::ranges::any_of(within, [&](auto each) { return path.find(each) != path.npos; }) ||
         std::ranges::any_of(last, [&](auto each) { return path.ends_with(each); });
}

struct Left {
  std::string path, value;  // of the first
  std::size_t count = 0;

  std::string words() const {
    if (count == 0) return {};
    const std::string more = count == 1   ? ""
                             : count == 2 ? ", and 1 more field has one"
                                          : fmt::format(", and {} more fields have one", count - 1);
    return fmt::format("{} {} contains a placeholder that was not filled in{}", path,
                       base::printable(value, 100), more);
  }
};

struct Lefts {
  Left essential, other;
};

void look_for_left(const Json& value, const std::string& path, Lefts& lefts) {
  if (value.is_string() && base::has_placeholder(value.get_ref<const std::string&>())) {
    Left& left = is_essential(path) ? lefts.essential : lefts.other;
    if (left.count++ == 0) left = {path, value.get<std::string>(), 1};
    return;
  }
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      look_for_left(value[i], fmt::format("{}[{}]", path, i), lefts);
  if (!value.is_object()) return;
  for (const auto& [key, each] : value.items())
    if (std::ranges::find(free_text, key) == free_text.end())
      look_for_left(each, path.empty() ? key : fmt::format("{}.{}", path, key), lefts);
}

// What the label job-name of its Pods can hold, which a Job with a selector of its own does not
// get, and CronJob's Jobs with their time behind the name.
std::size_t longest_name(const Json& object) {
  const std::string kind = text::text_member(object, "kind");
  if (kind == "CronJob") return 52;
  const bool labelled = kind == "Job" && at(object, {"spec", "manualSelector"}) != Json(true);
  return labelled ? base::max_label_length : 253;
}

}  // namespace

NotFilledIn not_filled_in(const Json& object) {
  Lefts lefts;
  look_for_left(object, "", lefts);
  return {lefts.essential.words(), lefts.other.words()};
}

std::string refused_name(const Json& object) {
  const Json& metadata = at(object, {"metadata"});
  const std::string name = text::text_member(metadata, "name");
  if (name.empty()) return {};
  const std::string shown = base::printable(name, 100);
  if (const std::size_t longest = longest_name(object); name.size() > longest)
    return fmt::format(
        "metadata.name {} has {} characters, but the API server accepts at most {} for a {}", shown,
        name.size(), longest, text::text_member(object, "kind"));
  if (!std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
      }))
    return fmt::format(
        "metadata.name {} has other characters than lower-case letters, digits, '-' "
        "and '.', and the API server refuses it",
        shown);
  return {};
}

std::string refused_selector(const Json& object) {
  const std::string kind = text::text_member(object, "kind");
  if (kind != "Deployment" && kind != "ReplicaSet" && kind != "StatefulSet") return {};
  const Json& selector = at(object, {"spec", "selector"});
  if (text::member(selector, "matchLabels").empty() &&
      text::member(selector, "matchExpressions").empty())
    return fmt::format("selector is {}, and a {} needs one that matches the labels of its template",
                       selector.is_null() ? "missing" : "empty", kind);
  if (!objects::finds(selector, at(object, {"spec", "template", "metadata", "labels"})))
    return "selector does not match the labels of the template";
  return {};
}

}  // namespace tpuwh::server::explain
