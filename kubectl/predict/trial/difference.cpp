#include "kubectl/predict/trial/difference.hpp"

#include "kubectl/objects/object.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace tpuwh::server::trial {

namespace {

using objects::at;

constexpr std::size_t longest_shown = 60;

std::string shown(std::string value) {
  if (value.size() > longest_shown) value = value.substr(0, longest_shown) + "…";
  return value.empty() ? "empty" : value;
}

// What a container has of a variable, "" and more: a reference by where it leads.
using Variables = std::map<std::string, std::string>;

Variables variables_of(const Json& container) {
  Variables out;
  for (const Json& entry : at(container, {"env"})) {
    const std::string name = text::text_member(entry, "name");
    if (!webhook::read::find_variable(name)) continue;
    const Json& from = text::member(entry, "valueFrom");
    const std::string path = text::text_member(at(from, {"fieldRef"}), "fieldPath");
    out[name] = !path.empty()      ? fmt::format("of {}", path)
                : from.is_object() ? std::string("of elsewhere")
                                   : text::text_member(entry, "value");
  }
  return out;
}

using Named = std::map<std::string, const Json*>;

Named containers_of(const Json& pod) {
  Named out;
  for (const char* list : {"containers", "initContainers"})
    for (const Json& each : at(pod, {"spec", list}))
      out.try_emplace(text::text_member(each, "name"), &each);
  return out;
}

// Our keys of labels or annotations. Not what the Pod was tried with, and not the digests, which
// say again what the variables are.
Variables ours_of(const Json& pod, const char* part, const std::string& prefix) {
  Variables out;
  const Json& all = at(pod, {"metadata", part});
  if (!all.is_object()) return out;
  for (const auto& [key, value] : all.items())
    if (key.starts_with(prefix) && key != prefix + "probe" && key != prefix + "injected" &&
        value.is_string())
      out[key] = value.get<std::string>();
  return out;
}

// Terms of ours, which name our labels, and what the Pod says of nodes. Others' stand beside them:
// JobSet's webhook adds some to a leader.
Json terms_of(const Json& pod, const std::string& prefix) {
  Json out = Json::array({at(pod, {"spec", "affinity", "nodeAffinity"})});
  for (const char* kind : {"podAffinity", "podAntiAffinity"})
    for (const char* list : {"requiredDuringSchedulingIgnoredDuringExecution",
                             "preferredDuringSchedulingIgnoredDuringExecution"})
      for (const Json& term : at(pod, {"spec", "affinity", kind, list}))
        if (text::dump_json(term).find(prefix) != std::string::npos)
          out.push_back({{kind, {{list, term}}}});
  return out;
}

void compare(const Variables& theirs, const Variables& ours, const std::string& of,
             std::vector<std::string>& out) {
  std::set<std::string> names;
  for (const auto& [name, value] : theirs) names.insert(name);
  for (const auto& [name, value] : ours) names.insert(name);
  for (const std::string& name : names) {
    const auto one = theirs.find(name), other = ours.find(name);
    if (one == theirs.end())
      out.push_back(
          fmt::format("{}{} is not there, and {} by this program", name, of, shown(other->second)));
    else if (other == ours.end())
      out.push_back(
          fmt::format("{}{} is {}, and not there by this program", name, of, shown(one->second)));
    else if (one->second != other->second)
      out.push_back(fmt::format("{}{} is {}, and {} by this program", name, of, shown(one->second),
                                shown(other->second)));
  }
}

}  // namespace

std::vector<std::string> differences(const Json& theirs, const Json& ours,
                                     const std::string& prefix) {
  std::vector<std::string> out;
  const Named their_containers = containers_of(theirs);
  for (const auto& [name, container] : containers_of(ours)) {
    const auto found = their_containers.find(name);
    if (found == their_containers.end()) continue;
    compare(variables_of(*found->second), variables_of(*container),
            fmt::format(" of container {}", name), out);
  }
  for (const char* part : {"labels", "annotations"})
    compare(ours_of(theirs, part, prefix), ours_of(ours, part, prefix),
            part == std::string_view("labels") ? " (label)" : " (annotation)", out);
  if (terms_of(theirs, prefix) != terms_of(ours, prefix))
    out.push_back("spec.affinity is another than by this program");
  return out;
}

}  // namespace tpuwh::server::trial
