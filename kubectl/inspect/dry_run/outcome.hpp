// What became of an object that was created as a dry run: by whom it was refused, or that it would
// be stored. A function of the answer's values; send.hpp has the request.
//
// The API server's chain, in this order: who asks, whether the namespace is there, mutating
// webhooks and admission plug-ins, validation of the object's fields, policies, validating
// webhooks, quota, storage. So a refusal says that all before it were content, and nothing of who
// comes after.
//
//   source  k8s.io/apiserver v0.37.2 and kubernetes v1.37.2, plugin/pkg/admission: the texts are of
//           their Errorf calls (read 2026-11). tests/e2e/test_dry_run.py has each made by the real
//           API server
#pragma once

#include "server/kube/client/status.hpp"
#include "server/text/json_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::dry_run {

// As much of an answer as is looked at.
struct Answer {
  bool answered = false;
  std::string error = {};            // unless answered: a sentence that names the server
  kube::client::Status status = {};  // of an answer that is no success; code 0 of a success
  std::vector<std::string> warnings = {};
  Json object = nullptr;  // what would be stored; null where refused

  bool accepted() const { return answered && status.code == 0; }
};

enum class Who {
  nobody,            // it would be stored
  not_reached,       // no answer
  credentials,       // 401: it is not known who asks
  rights,            // RBAC, or another authorizer: who asks may not create it
  no_namespace,      // it does not exist, or is being deleted
  not_served,        // 404 of a kind that the API server does not have
  exists,            // an object of this name is there
  no_dry_run,        // `name`, a webhook, has side effects and takes no dry run
  busy,              // 429, or a limit of time: another try can succeed
  webhook,           // `name` denied it
  webhook_failed,    // `name` could not be called, or its answer not be used
  policy,            // `name`, a ValidatingAdmissionPolicy or a MutatingAdmissionPolicy
  quota,             // ResourceQuota `name`; "" where it is not said
  quota_unknown,     // ResourceQuota `name` is not counted yet
  pod_security,      // Pod Security admission at level `name`
  limit_range,       // a LimitRange
  service_account,   // the ServiceAccount that the Pod names is not there
  priority_class,    // PriorityClass `name` is not there
  owner_references,  // who asks may not set an owner's finalizers
  fields,            // the API server: a field is unknown, missing or wrong
  plug_in,           // another admission plug-in of the API server
  api_server,        // anything else
};

struct Outcome {
  Who who = Who::nobody;
  std::string name = {};   // as above, "" else
  std::string words = {};  // the server's, without what `who` and `name` say already
};

Outcome outcome_of(const Answer& answer);

// Whether the object was judged at all. Where it was not, nothing is known of whether it would be
// refused: who asks lacks a right, the name is taken, somebody takes no dry runs, nobody answered.
bool was_asked(Who who);

// Whether an entry of this name is of tpu-webhook.
bool is_ours(std::string_view webhook);

// "ResourceQuota compute refused it": who, for a sentence about what was sent; of what was not
// asked, why not.
std::string said(const Outcome& outcome);

}  // namespace tpuwh::server::dry_run
