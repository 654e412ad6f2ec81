// What is wrong with a manifest as it is written, whatever its Pods are: it is a template that
// nobody filled in, or the API server refuses its name or its selector.
#pragma once

#include "server/text/json.hpp"

#include <string>

namespace tpuwh::server::explain {

// Placeholders ("${NAME}", "{{ name }}", "<NAME>") that are left, each of the first such field and
// how many there are; "" where none is.
struct NotFilledIn {
  std::string essential;  // where nothing is known of its Pods: names, counts, chips, selectors
  std::string other;      // elsewhere
};
// What a container runs, mounts and is told is not looked at: "${HOME}" of a command stays.
NotFilledIn not_filled_in(const Json& object);

// Why the API server refuses metadata.name; "" where it does not. Said of a Job's, too, which has
// to be a label's value.
//
//   source  k8s.io/apimachinery pkg/api/validation (NameIsDNSSubdomain); kubernetes 1.36
//           pkg/apis/batch/validation (the labels of a Job's template; ValidateCronJobCreate)
std::string refused_name(const Json& object);

// Why the API server refuses spec.selector of a Deployment, ReplicaSet or StatefulSet; "" where it
// does not. An overlay of kustomize has none.
//
//   source  kubernetes 1.37 pkg/apis/apps/validation (ValidateDeploymentSpec,
//           ValidateStatefulSetSpec)
std::string refused_selector(const Json& object);

}  // namespace tpuwh::server::explain
