// What an object takes of a ResourceQuota.
//   source  https://kubernetes.io/docs/concepts/policy/resource-quotas/ (read 2026-11);
//           kubernetes pkg/quota/v1/evaluator/core/{pods,services}.go, v1.37.2
#pragma once

#include "kubectl/objects/pod_resources.hpp"
#include "server/kube/client/request.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace tpuwh::server::trial {

// Here by the names that a ResourceQuota has for them: "pods", "requests.google.com/tpu",
// "limits.memory", "count/jobs.batch", "services". The older spellings "cpu", "memory",
// "ephemeral-storage", "hugepages-2Mi" and "count/pods" are not among them: long_name().
using objects::Amounts;

// objects::requests_of_pod() and limits_of_pod().
Amounts amounts_of_pod(const Json& pod);
// Of any other object: that it is one, and of a Service what it makes a cloud give.
Amounts amounts_of_object(const Json& object, const kube::client::Resource& resource);

std::string long_name(const std::string& name);

}  // namespace tpuwh::server::trial
