// What the API server says when it refuses: a metav1.Status.
//
//   source  https://github.com/kubernetes/community/blob/master/contributors/devel/
//           sig-architecture/api-conventions.md#response-status-kind (read 2026-11)
#pragma once

#include "server/kube/client/request.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::kube::client {

struct Cause {
  std::string reason;
  std::string message;
  std::string field;
};

struct Status {
  unsigned code = 0;
  std::string reason;   // "Forbidden", "Expired", "AlreadyExists": what to branch on
  std::string message;  // the server's sentence; of a body that is not a Status, its beginning
  std::optional<std::chrono::seconds> retry_after;
  std::vector<Cause> causes;

  // The version that was asked for is no longer kept: list again.
  bool expired() const { return code == 410 || reason == "Expired" || reason == "Gone"; }
  // The version that was asked for is one that the server has not seen yet.
  bool version_too_large() const;
};

// An error answer's body, or the object of an ERROR event (then `http_code` is 0 and the
// Status' own code counts). A load balancer's HTML page is read as well: its code remains,
// and its beginning is the message. `retry_after` is the header, which wins over the body's.
Status read_status(unsigned http_code, std::string_view body,
                   std::optional<std::chrono::seconds> retry_after = {});

// "cannot list pods: 403 Forbidden: <the server's words>", and for a 403 what to add to which
// role, for a 404 of a list that the resource is not served.
std::string sentence(std::string_view verb, const Resource& resource, const Status& status);

// "RBAC missing: list pods (cluster-wide); add {apiGroups: [""], resources: ["pods"], …"
std::string missing_rule(std::string_view verb, const Resource& resource);

}  // namespace tpuwh::server::kube::client
