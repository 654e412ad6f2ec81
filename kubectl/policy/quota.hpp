// Who may hold how many chips: objects of Kubernetes and of Kueue, as values.
#pragma once

#include "base/result.hpp"
#include "server/text/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

struct ShareOfTeam {
  std::string ns;
  std::int64_t chips = 0;
  std::string accelerator = {};  // "": of any

  bool operator==(const ShareOfTeam&) const = default;
};

// "NAMESPACE=CHIPS" or "NAMESPACE=CHIPS,ACCELERATOR".
//
//   errors  bad_value: what was expected; of an accelerator also what may have been meant
Result<ShareOfTeam> parse_share(std::string_view text);

// Why these cannot all hold, a sentence; "" where they can: two of one namespace and accelerator,
// or a namespace with one of any accelerator beside others.
std::string contradiction(const std::vector<ShareOfTeam>& shares);

// Whose objects.
enum class QuotaOf { both, kubernetes, kueue };

// `kubectl apply` takes them. For each namespace
//
//   kubernetes  a ResourceQuota: it holds for every Pod, but counts no accelerators apart, and Pods
//               and resource claims each by themselves
//   kueue       a ClusterQueue of its own, without a cohort, and a LocalQueue; a ResourceFlavor for
//               each accelerator. They hold for what is queued
//
//   shape   `shares` do not contradict each other
//   source  k8s.io/kubernetes 1.37.2 pkg/quota/v1/evaluator/core (pods.go, resource_claims.go);
//           kueue 0.19.2 apis/kueue/v1beta2
std::vector<Json> quota_objects(const std::vector<ShareOfTeam>& shares, QuotaOf of);

}  // namespace tpuwh::server::policy
