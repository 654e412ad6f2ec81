// The templates of a Deployment and of a StatefulSet.
#pragma once

#include "webhook/validate/checker.hpp"

namespace tpuwh::webhook::validate {

// False where it cannot be read.
//
//   source  k8s.io/api apps/v1 DeploymentSpec, StatefulSetSpec
bool check_deployment(Checker& checker, base::json::Reader::Mark spec);
bool check_statefulset(Checker& checker, base::json::Reader::Mark spec);

// What a StatefulSet or a Deployment refuses of its template.
//
//   step     what leads to the template in the object, for errors
//   returns  false where it cannot be read
bool check_template(Checker& checker, base::json::Reader::Mark pod_template, std::string_view kind,
                    std::string_view step = "template");

// Reports a Pod of which nothing says which host of its slice it is, since its owner makes all
// alike. Anything else that decide() found is reported as it is.
//
//   maker  "a Deployment"
//   fix    "use a LeaderWorkerSet or a StatefulSet"
void report_alike(Checker& checker, const outcome::Decision& decision, std::string_view maker,
                  std::string_view fix);

}  // namespace tpuwh::webhook::validate
