// The objects that `doctor` has read from a cluster. Each check of `doctor` is a function of these
// values, so a check sends no requests.
#pragma once

#include "kubectl/inspect/dry_run/outcome.hpp"
#include "server/text/json_text.hpp"

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::doctor {

// charts/tpu-webhook/templates/priority.yaml
inline constexpr auto critical_quota = "tpu-webhook-critical-pods";

enum class Found {
  there,
  absent,   // 404
  unknown,  // it may not be read, or the request failed: see `why`
};

struct Read {
  Found found = Found::unknown;
  Json object = nullptr;
  std::string why = "it was not requested";  // of unknown: a sentence

  bool there() const { return found == Found::there; }
};

inline Read not_known(std::string why) {
  return {.found = Found::unknown, .object = {}, .why = std::move(why)};
}

struct ReadList {
  Found found = Found::unknown;
  std::vector<Json> items = {};
  std::string why = "it was not requested";

  bool there() const { return found == Found::there; }
};

// A ClusterRole, a Role and their bindings. All four have the same name.
struct Roles {
  Read cluster_role, cluster_role_binding, role, role_binding;
};

// One Pod of the Deployment that is ready.
struct Replica {
  std::string pod;
  Read metrics;  // a string: GET /metrics of its port `health`, through the API server
};

// A Pod that was sent as a dry run, to see whether tpu-webhook is asked about it.
struct Probe {
  std::string workload;  // "job"
  std::string nonce;     // what a replica repeats
  dry_run::Answer answer = {};
};

// Whether the cluster serves a workload API that not every cluster has.
struct Served {
  std::string kind;   // the one that makes Pods: "JobSet"
  std::string group;  // "jobset.x-k8s.io"
  Read read = {};
};
// In the order of the workload table; nothing is read yet.
std::vector<Served> workload_apis();

struct View {
  std::string server;        // "https://HOST:PORT as <source>"
  std::string ns;            // where tpu-webhook is installed
  bool ns_is_asked = false;  // by -n: nothing that was found says another
  std::chrono::system_clock::time_point now;

  Read version;          // GET /version
  Read watch_list;       // absent: the API server refuses sendInitialEvents
  Read configuration;    // the MutatingWebhookConfiguration tpu-webhook
  ReadList mutating;     // all MutatingWebhookConfigurations
  Read validating;       // the ValidatingWebhookConfiguration tpu-webhook
  ReadList validations;  // all ValidatingWebhookConfigurations
  ReadList namespaces;   // all of them
  ReadList watched;      // those in shadow mode, by the label of the entry for them
  Read name_space;       // the Namespace `ns`
  ReadList releases;     // Helm's records of our release: metadata of Secrets
  bool releases_asked = false;
  Read service;
  ReadList endpoint_slices;  // of that Service
  Read deployment;
  Read config;              // the Deployment's configuration file as JSON; absent: it has none
  std::string config_text;  // the text of that file, decoded; "" if it was not read
  ReadList pods;            // of that Deployment, but for those that are being deleted
  std::set<std::string> leaving;  // these, by name
  std::vector<Replica> replicas;  // of those Pods
  std::string secret_name;        // of the Secret with the serving certificate
  bool is_kept = false;           // true: the keeper writes the Secret (certificate.mode internal)
  Read keeper;                    // the keeper's Deployment; read only if is_kept
  Read keeper_account;            // the keeper's ServiceAccount; read only if is_kept
  Roles keeper_roles;
  ReadList policies;              // NetworkPolicies of `ns`
  ReadList budgets;               // PodDisruptionBudgets of `ns`
  ReadList quotas;                // ResourceQuotas of `ns`
  Read account;                   // the ServiceAccount that the Deployment's Pods run as
  Read priority_class;            // of the Deployment's Pods; absent too where they name none
  Read flow_schema;               // the FlowSchema tpu-webhook
  Read priority_level;            // the PriorityLevelConfiguration that it names
  Read request;                   // the Certificate tpu-webhook, where one is mounted
  Read pod_monitor;               // the PodMonitor tpu-webhook
  Read secret;                    // of its data nothing but tls.crt is kept
  Roles roles;                    // the roles named tpu-webhook, of the webhook's ServiceAccount
  ReadList ledger;  // ConfigMaps
  ReadList gangs;   // PodGroups that are one, of all namespaces; absent: no PodGroup is served
  ReadList ganged;  // the Pods of these
  ReadList device_classes;  // DeviceClasses that give google.com/tpu to a driver of claims
  std::vector<Served> apis = workload_apis();

  std::string probe_ns;       // where Pods were tried
  std::vector<Probe> probes;  // of each workload API that is handled; none: it was not asked for
};

// Finds the element of `view.apis` for this API group, and returns its field `read`. If no element
// has this group, returns a Read with Found::unknown.
const Read& served(const View& view, std::string_view group);

// "spec" of a Deployment's Pods.
const Json& pod_spec(const Json& deployment);
const Json& pod_spec(const Json&& deployment) = delete;

// The ServiceAccount that a Deployment's Pods run as: ours where there is no Deployment.
std::string account_of(const Json& deployment);

// The Secret that a Deployment mounts as the serving certificate, which is not that of its
// configuration file; "" if it mounts none.
std::string certificate_secret(const Json& deployment);

// The public part of a Secret: the rest is not kept.
Read without_key(Read secret);

// "matchLabels" of a Deployment as a label selector.
std::string pod_selector(const Json& deployment);

// The value of --NAME=VALUE, or of --NAME VALUE, among the arguments of the Deployment's
// containers; the last one, as the program takes it; "" if absent.
std::string argument(const Json& deployment, const std::string& name);

// Whether a Pod's condition Ready is True.
bool is_ready_pod(const Json& pod);

// The container that is the program, of a Pod or a template; null if none is.
const Json& own_container(const Json& pod);
const Json& own_container(const Json&& pod) = delete;
// "spec.template" of a Deployment: as a Pod, with metadata and spec.
const Json& pod_template(const Json& deployment);
const Json& pod_template(const Json&& deployment) = delete;
// Returns spec.selector of a Deployment.
const Json& selector_of(const Json& deployment);
const Json& selector_of(const Json&& deployment) = delete;
// Returns spec.replicas of a Deployment, by default 1.
long wanted_replicas(const Json& deployment);
// metadata.name
std::string name_of_object(const Json& object);

// The number of the container port of this name; 0 if no container has it.
int container_port(const Json& pod, std::string_view name);

// Whether a webhook of a configuration is called when a Pod is created.
bool sees_new_pods(const Json& webhook);

}  // namespace tpuwh::server::doctor
