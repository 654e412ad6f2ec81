// The beginning of a JobSet that a controller makes of another object.
#pragma once

#include "kubectl/predict/wrappers/wrapper.hpp"

namespace tpuwh::server::wrappers {

// With the name of what makes it, and labels and annotations of `metadata`; without a spec.
inline Json begin_jobset(const expand::Owner& self, const Json& metadata) {
  Json out{{"apiVersion", "jobset.x-k8s.io/v1alpha2"}, {"kind", "JobSet"}};
  out["metadata"] = {{"name", self.name}, {"namespace", self.ns}};
  for (const char* key : {"labels", "annotations"})
    if (metadata.contains(key)) out["metadata"][key] = metadata[key];
  return out;
}

}  // namespace tpuwh::server::wrappers
