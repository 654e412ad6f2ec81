#include "kubectl/inspect/slices/audit.hpp"

#include "tests/unit/kubectl/inspect/slices/a_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

namespace tpuwh::server::slices {
namespace {

using testing::HasSubstr;
using enum Severity;
using enum Variable;

// Pods 0 to 3 are slice 0, 4 to 7 slice 1.
using Spoil = std::function<void(Cluster&)>;

// The chips of all Pods are a driver's, which describes every node so.
void driven(Cluster& cluster, const DrivenNode& node) {
  for (SeenPod& pod : cluster.pods) {
    pod.by_claim = true;
    cluster.driven[pod.node] = node;
  }
}

void strip(SeenPod& pod) {
  pod.processes.at(0).env = {};
}

// An extra Pod that is the same member as Pod `of`.
SeenPod& again(Cluster& cluster, std::size_t of) {
  SeenPod copy = cluster.pods.at(of);
  copy.name += "-again";
  return cluster.pods.emplace_back(std::move(copy));
}

// Pods without chips that have the label of slice 0.
void add_strays(Cluster& cluster, std::size_t count, const std::string& ns = "ml") {
  for (SeenPod& pod : cluster.pods) pod.placement_key = pod.slice_key;
  for (std::size_t i = 0; i < count; ++i)
    cluster.strays.push_back({ns, "web-" + std::to_string(i), cluster.pods[0].placement_key,
                              "tpu-webhook.dev/slice-key"});
}

// Makes the Pod pending and not bound to a node.
void wait(SeenPod& pod) {
  pod.node.clear();
  pod.life = Life::pending;
}

// Lets all Pods of slice 0 be bound except the last one. Returns the node that is left for the last
// Pod.
auto& begun(Cluster& cluster) {
  wait(cluster.pods.at(3));
  return cluster.nodes["node-0-3"];
}

// Removes the JobSet's Service. Another Service is left.
void no_service(Cluster& cluster) {
  cluster.services.clear();
  cluster.services[{"default", "kubernetes"}] = {};
}

void on_one_pool(Cluster& cluster) {
  for (auto& [name, node] : cluster.nodes) node.labels = labels_of_pool("one");
}

void set_in_slice(Cluster& cluster, std::size_t slice, Variable variable, const std::string& text) {
  for (std::size_t pod = 4 * slice; pod < 4 * slice + 4; ++pod)
    env(cluster, pod, variable) = literal(text);
}

void set_everywhere(Cluster& cluster, Variable variable, const std::string& text) {
  for (std::size_t slice : {0, 1}) set_in_slice(cluster, slice, variable, text);
}

std::string addresses(std::string_view last_port = "8471") {
  return fmt::format(
      "train-w-0-0.train:8471,train-w-0-1.train:8471,train-w-0-2.train:8471,train-w-0-3.train:{}",
      last_port);
}

// Slice 0 as a Ray worker group's, whose host is known by nothing.
void forget_hosts(Cluster& cluster) {
  for (std::size_t pod = 0; pod < 4; ++pod) {
    cluster.pods[pod].host.reset();
    cluster.pods[pod].not_placed = "nothing says which host it is";
  }
}

TEST(Audit, finds_nothing_where_all_is_well) {
  const std::pair<const char*, Spoil> cases[] = {
      {"all_is_well", [](Cluster&) {}},
      {"no_nodes", [](Cluster& c) { c.nodes.clear(); }},
      {"begun_where_there_is_room_for_the_rest", [](Cluster& c) { begun(c); }},
      {"a_taint_that_is_tolerated",
       [](Cluster& c) {
         begun(c).taints = {{"team", "blue"}};
         for (SeenPod& pod : c.pods) pod.tolerations = {{"team", "Exists", "", ""}};
       }},
      {"a_stray_of_another_namespace", [](Cluster& c) { add_strays(c, 1, "other"); }},
      {"no_services", [](Cluster& c) { c.services.clear(); }},
      {"ended",
       [](Cluster& c) {
         for (auto& pod : c.pods) pod.life = Life::succeeded, strip(pod);
       }},
      {"the_other_slice_ended",
       [](Cluster& c) {
         for (std::size_t pod = 4; pod < 8; ++pod) c.pods[pod].life = Life::succeeded;
       }},
      {"one_of_them_ended_well", [](Cluster& c) { c.pods[3].life = Life::succeeded; }},
      {"a_failed_pod_was_replaced", [](Cluster& c) { again(c, 2).life = Life::failed; }},
      {"a_pod_is_being_replaced", [](Cluster& c) { again(c, 2).terminating = true; }},
      {"its_last_life_is_being_deleted", add_last_life},
      {"its_service_was_deleted_with_a_member",
       [](Cluster& c) {
         no_service(c);
         c.pods[0].terminating = c.pods[7].terminating = true;
       }},
      {"its_service_was_deleted_with_what_made_it",
       [](Cluster& c) {
         no_service(c);
         for (SeenPod& pod : c.pods) pod.orphan = true;
       }},
      {"all_is_being_deleted",
       [](Cluster& c) {
         for (auto& pod : c.pods) pod.terminating = true, strip(pod);
       }},
      {"one_is_being_deleted_elsewhere",
       [](Cluster& c) {
         c.pods[2].terminating = true;
         strip(c.pods[2]);
         c.nodes["node-0-2"].labels = labels_of_pool("other");
         c.nodes["node-new"] = {.name = "node-new", .labels = labels_of_pool("pool-0"), .chips = 4};
       }},
      {"a_container_is_started_again", [](Cluster& c) { c.pods[2].processes[0].waits = true; }},
      {"a_node_has_been_unready_for_a_moment",
       [](Cluster& c) { c.nodes["node-0-2"].ready = false; }},
      {"chips_by_claim",
       [](Cluster& c) {
         begun(c);
         for (auto& pod : c.pods) pod.by_claim = true;
         for (auto& [name, node] : c.nodes) node.chips = 0;
       }},
      {"chips_of_a_driver_that_knows_the_slice",
       [](Cluster& c) { driven(c, {.topology = "4x4", .chips = 4}); }},
      {"a_driver_beside_a_device_plugin",
       [](Cluster& c) {
         driven(c, {.topology = "2x2", .chips = 4});
         for (auto& pod : c.pods) pod.by_claim = false;
       }},
      {"values_that_are_not_known",
       [](Cluster& c) {
         for (auto& pod : c.pods)
           for (auto& value : pod.processes[0].env) value = unknown_value;
       }},
      {"full_domain_names",
       [](Cluster& c) {
         set_in_slice(
             c, 0, tpu_worker_hostnames,
             "train-w-0-0.train.ml.svc.cluster.local,train-w-0-1.train.ml.svc.cluster.local,"
             "train-w-0-2.train.ml.svc.cluster.local,train-w-0-3.train.ml.svc.cluster.local");
       }},
      {"addresses",
       [](Cluster& c) {
         set_in_slice(c, 0, tpu_process_addresses, addresses());
         set_in_slice(c, 0, tpu_process_port, "8471");
       }},
      {"coordinator_with_port",
       [](Cluster& c) {
         set_everywhere(c, megascale_coordinator_address, "train-w-0-0.train:8080");
       }},
      {"sub_slices_share_a_pool",
       [](Cluster& c) {
         for (auto& pod : c.pods) pod.placed_by_others = true;
         on_one_pool(c);
       }},
      {"tpu_name_of_each_slice",
       [](Cluster& c) {
         set_in_slice(c, 0, tpu_name, "a");
         set_in_slice(c, 1, tpu_name, "b");
       }},
      {"single_hosts_need_nothing",
       [](Cluster& c) {
         for (auto& pod : c.pods) {
           strip(pod);
           pod.hosts = 1;
           pod.host = 0;
           pod.slice_key = pod.name;
         }
       }},
  };
  for (const auto& [name, spoil] : cases) {
    Cluster cluster = a_cluster();
    spoil(cluster);
    for (const Finding& each : audit(cluster, report_slices(cluster)).findings)
      ADD_FAILURE() << name << ": " << each.check;
  }
}

// A fault of a cluster. `checks` has the names of the only checks that find something, separated by
// blanks, and `what` is a part of the first finding's sentence.
struct Fault {
  Severity severity;
  std::string checks, what;
  Spoil spoil;
};

const Fault faults[] = {
    {error, "unmutated", "Pod train-w-0-1-x of a slice of 4 hosts has no TPU_WORKER_ID",
     [](Cluster& c) { strip(c.pods[1]); }},
    {error, "unmutated", "and never forms; but nothing says which host it is",
     [](Cluster& c) {
       forget_hosts(c);
       for (std::size_t pod = 0; pod < 4; ++pod) strip(c.pods[pod]);
     }},
    {warning, "incomplete", "2 of 4 hosts have a Pod; hosts 1-2 are missing",
     [](Cluster& c) { c.pods.erase(c.pods.begin() + 1, c.pods.begin() + 3); }},
    {warning, "identity-not-known", "train-w-0-3-x: nothing says which host it is", forget_hosts},
    {warning, "incomplete", "3 of 4 hosts have a Pod; host 1 is missing",
     [](Cluster& c) { c.pods.erase(c.pods.begin() + 1); }},
    {error, "member-lost",
     "Pod train-w-0-2-x (host 2) has failed (Evicted: The node was low on resource: memory), and "
     "no other Pod has its place",
     [](Cluster& c) {
       c.pods[2].life = Life::failed;
       c.pods[2].failure = "Evicted: The node was low on resource: memory";
     }},
    {warning, "member-lost", "(host 2) has failed",
     [](Cluster& c) { fail(c, std::chrono::minutes(1)); }},
    {warning, "incomplete member-lost", "(host 2) has failed",
     [](Cluster& c) {
       fail(c, std::chrono::minutes(1));
       c.pods.resize(7);
       c.pods.erase(c.pods.begin() + 3);
       c.pods.push_back(a_member(1, 3));
     }},
    {warning, "member-lost",
     "Pod train-w-0-2-x (host 2) is lost: node node-0-2 was deleted: it is not among the Nodes",
     [](Cluster& c) { c.nodes.erase("node-0-2"); }},
    {error, "member-lost",
     "of Pod train-w-0-2-x (host 2) container jax has ended with exit code 137 and is not started "
     "again, but container logs still runs",
     [](Cluster& c) {
       c.pods[2].processes[0].exit_code = 137;
       c.pods[2].beside = {"logs"};
     }},
    {warning, "list-differs", "(its Pods are of several templates: it may be rolling over)",
     [](Cluster& c) {
       c.pods[1].revision = "2";
       env(c, 1, tpu_worker_hostnames) = literal("a,b,c,d");
     }},
    {warning, "identity-not-known", "train-w-0-3-x: index 4 is beyond the slice",
     [](Cluster& c) {
       for (std::uint32_t pod = 0; pod < 4; ++pod) {
         c.pods[pod].host.reset();
         c.pods[pod].not_placed = fmt::format("index {} is beyond the slice", pod + 4);
       }
     }},
    {error, "bad-shape", "4x4 has 16 chips",
     [](Cluster& c) {
       for (std::size_t i = 0; i < 4; ++i) {
         SeenPod& pod = c.pods[i];
         pod.hosts = 0;
         pod.host.reset();
         pod.impossible = true;
         pod.not_placed = "4x4 has 16 chips";
         strip(pod);
       }
     }},
    {warning, "incomplete", "the job has 2 slices, but slice 1 has no Pod",
     [](Cluster& c) { c.pods.resize(4); }},
    {error, "duplicate-member", "Pods train-w-0-1-x and train-w-0-1-x-again are all host 1",
     [](Cluster& c) { again(c, 1).processes[0][tpu_worker_id] = unknown_value; }},
    {error, "driver-differs",
     "the driver of claims takes node node-0-0 for 4 chips of 2x2 and writes TPU_WORKER_ID=0 and "
     "TPU_WORKER_HOSTNAMES=localhost over the Pod's own: 4 of 4 hosts are each worker 0",
     [](Cluster& c) { driven(c, {.topology = "2x2", .chips = 4}); }},
    {error, "driver-differs", "node node-0-2 for 4 chips of 2x2",
     [](Cluster& c) {
       driven(c, {.topology = "4x4", .chips = 4});
       c.driven["node-0-2"].topology = "2x2";
     }},
    {error, "driver-differs",
     "node node-0-0 for 4 chips of 8x8 and writes its TPU_TOPOLOGY and bounds over the Pod's own; "
     "expected 4x4",
     [](Cluster& c) { driven(c, {.topology = "8x8", .chips = 4}); }},
    {error, "duplicate-worker-id",
     "TPU_WORKER_ID 1 is held by 2 TPU containers, of Pods train-w-0-1-x and train-w-0-1-x-again; "
     "expected each of 0 to 3 once",
     [](Cluster& c) { again(c, 1); }},
    {error, "duplicate-worker-id",
     "TPU_WORKER_ID 6 is held by 2 TPU containers, of Pod train-w-0-3-x; "
     "expected each of 0 to 7 once; no container has 7",
     [](Cluster& c) {
       for (std::size_t pod = 0; pod < 4; ++pod) {
         c.pods[pod].processes_per_host = 2;
         TpuProcess second = c.pods[pod].processes[0];
         second[tpu_worker_id] = literal(std::to_string(2 * pod + 1));
         env(c, pod, tpu_worker_id) = literal(std::to_string(2 * pod));
         c.pods[pod].processes.push_back(second);
       }
       c.pods[3].processes[1][tpu_worker_id] = literal("6");
     }},
    {error, "worker-id-out-of-range",
     "Pod train-w-0-3-x has \"4\" in container jax; expected a whole number from 0 to 3, for 4 ",
     [](Cluster& c) { env(c, 3, tpu_worker_id) = literal("4"); }},
    {error, "worker-id-out-of-range", "\"three\"",
     [](Cluster& c) { env(c, 3, tpu_worker_id) = literal("three"); }},
    {error, "worker-id-out-of-range", "has \"\"",
     [](Cluster& c) { env(c, 3, tpu_worker_id) = literal(""); }},
    {error, "missing-worker-id", "Pod train-w-0-3-x has a TPU container without TPU_WORKER_ID",
     [](Cluster& c) { env(c, 3, tpu_worker_id) = absent_value; }},
    {error, "list-differs",
     "entry 1 is \"train-w-0-1.train\" on Pod train-w-0-0-x and \"b.train\" on Pod train-w-0-2-x",
     [](Cluster& c) {
       env(c, 2, tpu_worker_hostnames) =
           literal("train-w-0-0.train,b.train,train-w-0-2.train,train-w-0-3.train");
     }},
    {error, "list-length",
     "TPU_WORKER_HOSTNAMES has 1 entry (\"localhost\") on Pod train-w-0-0-x; expected 4",
     [](Cluster& c) { set_in_slice(c, 0, tpu_worker_hostnames, "localhost"); }},
    {error, "list-length", "has 5 entries",
     [](Cluster& c) { set_in_slice(c, 0, tpu_worker_hostnames, hostnames_of_slice(0) + ","); }},
    {error, "list-entry",
     "entry 0 of TPU_WORKER_HOSTNAMES is \"train-w-0-1.train\", but that worker is Pod "
     "train-w-0-0-x; expected train-w-0-0.train (2 entries are wrong)",
     [](Cluster& c) {
       set_in_slice(c, 0, tpu_worker_hostnames,
                    "train-w-0-1.train,train-w-0-0.train,train-w-0-2.train,train-w-0-3.train");
     }},
    {error, "list-entry", "expected train-w-0-0.train (4 entries are wrong)",
     [](Cluster& c) {
       set_in_slice(c, 0, tpu_worker_hostnames,
                    "train-w-0-0.old,train-w-0-1.old,train-w-0-2.old,train-w-0-3.old");
     }},
    {error, "process-port",
     "TPU_PROCESS_PORT of container jax of Pod train-w-0-3-x is \"8471\", but its entry 3",
     [](Cluster& c) {
       set_in_slice(c, 0, tpu_process_addresses, addresses("9999"));
       set_in_slice(c, 0, tpu_process_port, "8471");
     }},
    {error, "list-length", "TPU_PROCESS_ADDRESSES has 1 entry",
     [](Cluster& c) { set_in_slice(c, 0, tpu_process_addresses, "localhost:8471"); }},
    {error, "no-service", "there is no Service of that name in namespace ml",
     [](Cluster& c) { no_service(c); }},
    {error, "no-service", "is not headless",
     [](Cluster& c) {
       c.services[{"ml", "train"}].headless = false;
     }},
    {error, "no-subdomain", "Pod train-w-1-1-x has no spec.subdomain",
     [](Cluster& c) { c.pods[5].subdomain = ""; }},
    {error, "no-subdomain", "Pod train-w-1-1 has no spec.hostname",
     [](Cluster& c) {
       c.pods[5].hostname = "";
       c.pods[5].name = "train-w-1-1";
     }},
    {error, "split-pools",
     "members are on 2 node pools (1 on other, 3 on pool-0); expected all 4 hosts on one",
     [](Cluster& c) { c.nodes["node-0-3"].labels = labels_of_pool("other"); }},
    {error, "shared-pool",
     "node pool one holds members of 2 multi-host slices (JobSet ml/train/w, slice 0 of 2; JobSet "
     "ml/train/w, slice 1 of 2)",
     [](Cluster& c) { on_one_pool(c); }},
    {warning, "stray-slice-key",
     "Pod web-0 has no chips and the label tpu-webhook.dev/slice-key of this slice",
     [](Cluster& c) { add_strays(c, 1); }},
    {error, "stray-slice-key",
     "no member is bound, and the first may only go to that Pod's node pool",
     [](Cluster& c) {
       c.pods.resize(4);
       for (SeenPod& pod : c.pods) {
         pod.slice_count = 1;
         wait(pod);
       }
       set_in_slice(c, 0, megascale_num_slices, "1");
       add_strays(c, 1);
     }},
    {warning, "stray-slice-key",
     "Pods web-0, web-1, web-2, web-3 and 3 more have no chips and the label "
     "tpu-webhook.dev/slice-key of this slice, so the scheduler takes them for members",
     [](Cluster& c) { add_strays(c, 7); }},
    {error, "chips-per-node", "node node-0-3 has 8 chips, but Pod train-w-0-3-x on it asks for 4",
     [](Cluster& c) { c.nodes["node-0-3"].chips = 8; }},
    {warning, "unfit-pool",
     "it has started on node pool pool-0, which cannot hold it: node node-0-3 is cordoned; 3 of 4 "
     "hosts are bound and wait for the rest",
     [](Cluster& c) { begun(c).unschedulable = true; }},
    {warning, "unfit-pool", "node node-0-3 is not ready",
     [](Cluster& c) { begun(c).ready = false; }},
    {error, "unfit-pool", "node node-0-3 is cordoned",
     [](Cluster& c) {
       begun(c);
       c.now = Time(std::chrono::hours(24 * 365 * 56));
       c.pods[3].created = *c.now - std::chrono::minutes(61);
       c.nodes["node-0-3"].unschedulable = true;
     }},
    {warning, "unfit-pool", "node node-0-3 is not ready; 3 of 4 hosts are bound",
     [](Cluster& c) {
       c.pods[3].terminating = true;
       c.nodes["node-0-3"].ready = false;
     }},
    {warning, "unfit-pool", "node node-0-3 has 0 chips", [](Cluster& c) { begun(c).chips = 0; }},
    {error, "chips-per-node",
     "node node-0-0 has 4 chips, but Pod train-w-0-0-x on it asks for 1; expected "
     "a Pod with TPUs to take its whole node",
     [](Cluster& c) {
       c.pods.resize(1);
       SeenPod& pod = c.pods[0];
       strip(pod);
       pod.hosts = 0;
       pod.slice_count = 0;
       pod.host.reset();
       pod.slice.reset();
       pod.chips = 1;
       pod.shares_node = "the Pod asks for 1 chip, but nodes have 4";
     }},
    {warning, "unfit-pool", "has taint node.kubernetes.io/not-ready",
     [](Cluster& c) {
       begun(c).taints = {{"node.kubernetes.io/not-ready", ""}};
     }},
    {error, "unfit-pool", "node node-0-3 has taint team, which the Pods do not tolerate",
     [](Cluster& c) {
       begun(c).taints = {{"team", "blue"}};
     }},
    {warning, "unfit-pool", "the pool has 3 of 4 nodes",
     [](Cluster& c) {
       begun(c);
       c.nodes.erase("node-0-3");
     }},
    {error, "unfit-pool", "node node-0-3 has 3 chips, a Pod needs 4",
     [](Cluster& c) { begun(c).chips = 3; }},
    {error, "megascale-differs",
     "MEGASCALE_COORDINATOR_ADDRESS is \"train-w-0-0.train\" on Pod train-w-0-0-x and not set on "
     "Pod train-w-0-1-x",
     [](Cluster& c) { env(c, 1, megascale_coordinator_address) = absent_value; }},
    {error, "megascale-differs",
     "MEGASCALE_COORDINATOR_ADDRESS is \"train-w-1-0.train\" here and "
     "\"train-w-0-0.train\" in JobSet ml/train/w, slice 0 of 2",
     [](Cluster& c) {
       for (std::size_t pod = 4; pod < 8; ++pod)
         env(c, pod, megascale_coordinator_address) = literal("train-w-1-0.train");
     }},
    {error, "megascale-slices", "MEGASCALE_NUM_SLICES is \"3\"; expected 2, as JobSet train says",
     [](Cluster& c) { set_everywhere(c, megascale_num_slices, "3"); }},
    {error, "megascale-slices",
     "MEGASCALE_SLICE_ID is \"2\"; expected a number from 0 to 1, for 2 slices",
     [](Cluster& c) { set_in_slice(c, 1, megascale_slice_id, "2"); }},
    {error, "megascale-slices",
     "MEGASCALE_SLICE_ID is \"1\" here and in JobSet ml/train/w, slice 0 of 2",
     [](Cluster& c) { set_in_slice(c, 0, megascale_slice_id, "1"); }},
    {error, "megascale-coordinator",
     "but host 0 of slice 0 is Pod train-w-0-0-x; expected train-w-0-0.train",
     [](Cluster& c) { set_everywhere(c, megascale_coordinator_address, "train-w-1-0.train"); }},
    {error, "tpu-name-differs",
     "TPU_NAME is \"a\" on Pod train-w-0-0-x and \"b\" on Pod train-w-0-1-x",
     [](Cluster& c) {
       env(c, 0, tpu_name) = literal("a");
       env(c, 1, tpu_name) = literal("b");
     }},
    {warning, "tpu-name-shared", "TPU_NAME \"a\" is also that of JobSet ml/train/w, slice 0 of 2",
     [](Cluster& c) { set_everywhere(c, tpu_name, "a"); }},
    {error, "tpu-name-shared", "TPU_NAME \"a\" is also that of JobSet ml/train/w, slice 0 of 2",
     [](Cluster& c) {
       set_everywhere(c, tpu_name, "a");
       for (SeenPod& pod : c.pods) pod.workload = webhook::config::WorkloadKind::ray;
     }},
};

// The level of a row is the worst that is said of it.
TEST(Audit, finds_that_and_nothing_else_at_the_level_of_its_row) {
  std::set<std::string> tested;
  std::map<std::string, std::string> levels, known;
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.what);
    Cluster cluster = a_cluster();
    fault.spoil(cluster);
    const Audit found = audit(cluster, report_slices(cluster));
    std::set<std::string> checks;
    for (const Finding& each : found.findings) {
      checks.insert(each.check);
      std::string& level = levels[each.check];
      if (level != "error") level = each.severity == error ? "error" : "warn";
    }
    EXPECT_EQ(fmt::format("{}", fmt::join(checks, " ")), fault.checks);
    if (checks.size() == 1) tested.insert(fault.checks);
    ASSERT_FALSE(found.findings.empty());
    EXPECT_THAT(found.findings.front().what, HasSubstr(fault.what));
    EXPECT_EQ(found.findings.front().severity, fault.severity);
    EXPECT_NE(found.findings.front().fix, "");
  }
  for (const ids::Row& each : ids::audit_rows) known.emplace(each.name, each.level);
  EXPECT_EQ(levels, known);
  for (const auto& [check, level] : known) EXPECT_TRUE(tested.contains(check)) << check;
}

std::vector<std::string> not_known(const Cluster& cluster) {
  return audit(cluster, report_slices(cluster)).not_known;
}

TEST(Audit, says_what_it_could_not_look_at) {
  Cluster cluster = a_cluster();
  EXPECT_THAT(not_known(cluster), testing::IsEmpty());
  cluster.nodes.clear();
  cluster.services.clear();
  env(cluster, 0, tpu_worker_id) = unknown_value;
  EXPECT_THAT(not_known(cluster),
              testing::ElementsAre(HasSubstr("slice 0 of 2: TPU_WORKER_ID comes from valueFrom"),
                                   "no Node is in the snapshot, so node pools were not compared",
                                   HasSubstr("no Service is in the snapshot")));
}

TEST(Audit, puts_errors_first) {
  Cluster cluster = a_cluster();
  cluster.pods.erase(cluster.pods.begin() + 1);
  env(cluster, 5, tpu_worker_id) = literal("9");
  const auto slices = report_slices(cluster);
  const Audit found = audit(cluster, slices);
  ASSERT_EQ(found.findings.size(), 2u);
  EXPECT_EQ(found.errors(), 1u);
  EXPECT_EQ(found.findings[0].check, "worker-id-out-of-range");
  EXPECT_EQ(found.findings[1].check, "incomplete");
}

TEST(Audit, tells_how_pods_are_made_again) {
  Cluster cluster = a_cluster();
  again(cluster, 1);
  EXPECT_EQ(audit(cluster, report_slices(cluster)).findings.front().fix,
            "delete and recreate JobSet ml/train with tpu-webhook in place, and without a "
            "TPU_WORKER_ID of your own");
  for (std::size_t pod = 0; pod < cluster.pods.size(); ++pod)
    env(cluster, pod, tpu_worker_id).ours = true;
  EXPECT_EQ(audit(cluster, report_slices(cluster)).findings.front().fix,
            "delete and recreate JobSet ml/train with tpu-webhook in place");
  for (SeenPod& pod : cluster.pods) pod.workload = webhook::config::WorkloadKind::ray;
  EXPECT_THAT(audit(cluster, report_slices(cluster)).findings.front().fix,
              HasSubstr("kubectl -n ml delete pod train-w-0-0-x train-w-0-1-x "));
}

// Of one topology or none, of no chips, and of no ResourceSlice at all.
TEST(AuditOfClaims, does_not_know_what_no_resource_slice_says) {
  for (const DrivenNode& node : {DrivenNode{}, DrivenNode{.topology = "", .chips = 4},
                                 DrivenNode{.topology = "4x4", .chips = 0}}) {
    Cluster cluster = a_cluster();
    driven(cluster, node);
    if (node == DrivenNode{}) cluster.driven.clear();
    const Audit found = audit(cluster, report_slices(cluster));
    EXPECT_THAT(found.findings, testing::IsEmpty());
    EXPECT_THAT(found.not_known,
                testing::Contains(HasSubstr("what the driver of claims takes the nodes of Pods")));
  }
}

}  // namespace
}  // namespace tpuwh::server::slices
