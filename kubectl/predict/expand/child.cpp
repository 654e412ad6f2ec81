#include "kubectl/predict/expand/child.hpp"

#include <utility>

namespace tpuwh::server::expand {

Json owner_references(const Owner& owner) {
  return Json::array({{{"apiVersion", owner.api_version},
                       {"kind", owner.kind},
                       {"name", owner.name},
                       {"uid", owner.uid()},
                       {"controller", true},
                       {"blockOwnerDeletion", true}}});
}

Json begin_child(const Owner& child, const Owner& owner, const Json& given) {
  Json metadata = {{"name", child.name}, {"namespace", child.ns}};
  for (const char* key : {"labels", "annotations"})
    if (!object_or_empty(given, key).empty()) metadata[key] = given[key];
  metadata["ownerReferences"] = owner_references(owner);
  Json out = {{"apiVersion", child.api_version}, {"kind", child.kind}};
  out["metadata"] = std::move(metadata);
  return out;
}

Owner service_called(std::string ns, std::string name) {
  return {"v1", "Service", std::move(ns), std::move(name)};
}

Json headless_service(const Owner& service, const Owner& owner, Json selector) {
  Json out = begin_child(service, owner, {});
  out["spec"] = {{"clusterIP", "None"}, {"publishNotReadyAddresses", true}};
  out["spec"]["selector"] = std::move(selector);
  return out;
}

}  // namespace tpuwh::server::expand
