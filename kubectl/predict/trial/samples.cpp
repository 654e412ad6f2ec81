#include "kubectl/predict/trial/samples.hpp"

#include "kubectl/objects/object.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::trial {

namespace {

using objects::at;

constexpr const char* lists[] = {"containers", "initContainers"};

// What differs between Pods of one template: its place in the slice, and what follows of that.
Json without_place(const Json& pod) {
  Json spec = at(pod, {"spec"});
  for (const char* each : {"hostname", "subdomain", "affinity", "nodeSelector"}) spec.erase(each);
  for (const char* list : lists)
    if (spec.contains(list) && spec[list].is_array())
      for (Json& container : spec[list])
        if (container.is_object()) container.erase("env");
  return spec;
}

}  // namespace

void Samples::add(const Json& object, const std::string& ns, const Json& pod, const Json* ours) {
  const std::string kind = text::text_member(object, "kind");
  const std::string owner = objects::shown_name(object);
  const std::string alike =
      fmt::format("{}\n{}\n{}\n{}", kind, ns, owner, text::dump_json(without_place(pod)));
  const auto [found, is_new] = by_template_.try_emplace(alike, list_.size());
  if (!is_new) {
    ++list_[found->second].alike;
    return;
  }
  list_.push_back({.kind = kind,
                   .ns = ns,
                   .owner = owner,
                   .pod = pod,
                   .ours = ours == nullptr ? Json() : *ours});
}

}  // namespace tpuwh::server::trial
