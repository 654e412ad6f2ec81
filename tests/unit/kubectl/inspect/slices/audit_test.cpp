#include "kubectl/inspect/slices/audit.hpp"

#include "tests/support/named_case.hpp"
#include "tests/unit/kubectl/inspect/slices/a_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <span>

namespace tpuwh::server::slices {
namespace {

using test::case_name;
using test::PrintTo;
using testing::HasSubstr;

// Pods 0 to 3 are slice 0, 4 to 7 slice 1.
struct Case {
  const char* name;
  std::function<void(Cluster&)> spoil;
  std::string check;  // the only ones that find something, with blanks; "" for none
  std::string what;   // a part of the first sentence
  Severity severity = Severity::error;
};

class AuditTest : public testing::TestWithParam<Case> {};

TEST_P(AuditTest, finds_that_and_nothing_else) {
  Cluster cluster = a_cluster();
  GetParam().spoil(cluster);
  const auto slices = report_slices(cluster);
  const Audit found = audit(cluster, slices);
  std::set<std::string> checks;
  for (const Finding& each : found.findings) checks.insert(each.check);
  if (GetParam().check.empty()) {
    EXPECT_THAT(checks, testing::IsEmpty());
    return;
  }
  std::string all;
  for (const std::string& each : checks) all += (all.empty() ? "" : " ") + each;
  EXPECT_EQ(all, GetParam().check);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_THAT(found.findings.front().what, HasSubstr(GetParam().what));
  EXPECT_EQ(found.findings.front().severity, GetParam().severity);
  EXPECT_NE(found.findings.front().fix, "");
}

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

// Pod `which` failed a minute ago; a Job makes another.
void fail_just_now(Cluster& cluster, std::size_t which) {
  SeenPod& pod = cluster.pods.at(which);
  cluster.now = Time(std::chrono::hours(24 * 365 * 56));
  pod.life = Life::failed;
  pod.failed = *cluster.now - std::chrono::minutes(1);
  pod.owners = {{"Job", "ml", "train-w-0"}};
}

// The whole slice is another's successor, of which nothing is gone yet.
void add_last_life(Cluster& cluster) {
  for (std::uint32_t host = 0; host < 4; ++host) {
    SeenPod& old = cluster.pods.emplace_back(a_member(0, host));
    old.name += "-old";
    old.slice_key = "train-0-old";
    old.terminating = true;
    strip(old);
    const std::string node = fmt::format("old-{}", host);
    old.node = node;
    cluster.nodes[node] = {.name = node, .labels = labels_of_pool("old"), .chips = 4};
  }
}

// Pods without chips that have the label of slice 0.
void add_strays(Cluster& cluster, std::size_t count) {
  for (SeenPod& pod : cluster.pods) pod.placement_key = pod.slice_key;
  for (std::size_t i = 0; i < count; ++i)
    cluster.strays.push_back({"ml", "web-" + std::to_string(i), cluster.pods[0].placement_key,
                              "tpu-webhook.dev/slice-key"});
}

// Pod `which` is not bound.
void wait(Cluster& cluster, std::size_t which) {
  cluster.pods.at(which).node.clear();
  cluster.pods.at(which).life = Life::pending;
}

void set_lists(Cluster& cluster, webhook::read::Variable variable, const std::string& text) {
  for (std::size_t pod = 0; pod < 4; ++pod) env(cluster, pod, variable) = literal(text);
}

void set_everywhere(Cluster& cluster, webhook::read::Variable variable, const std::string& text) {
  for (std::size_t pod = 0; pod < 8; ++pod) env(cluster, pod, variable) = literal(text);
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

const Case healthy[] = {
    {"all_is_well", [](Cluster&) {}, "", ""},
    {"no_nodes", [](Cluster& c) { c.nodes.clear(); }, "", ""},
    {"begun_where_there_is_room_for_the_rest", [](Cluster& c) { wait(c, 3); }, "", ""},
    {"a_taint_that_is_tolerated",
     [](Cluster& c) {
       wait(c, 3);
       c.nodes["node-0-3"].taints = {{"team", "blue"}};
       for (SeenPod& pod : c.pods) pod.tolerations = {{"team", "Exists", "", ""}};
     },
     "", ""},
    {"a_stray_of_another_namespace",
     [](Cluster& c) {
       for (SeenPod& pod : c.pods) pod.placement_key = pod.slice_key;
       c.strays.push_back({"other", "web", "train-0", "tpu-webhook.dev/slice-key"});
     },
     "", ""},
    {"no_services", [](Cluster& c) { c.services.clear(); }, "", ""},
    {"ended",
     [](Cluster& c) {
       for (auto& pod : c.pods) pod.life = Life::succeeded, strip(pod);
     },
     "", ""},
    {"the_other_slice_ended",
     [](Cluster& c) {
       for (std::size_t pod = 4; pod < 8; ++pod) c.pods[pod].life = Life::succeeded;
     },
     "", ""},
    {"one_of_them_ended_well", [](Cluster& c) { c.pods[3].life = Life::succeeded; }, "", ""},
    {"a_failed_pod_was_replaced", [](Cluster& c) { again(c, 2).life = Life::failed; }, "", ""},
    {"a_pod_is_being_replaced", [](Cluster& c) { again(c, 2).terminating = true; }, "", ""},
    {"its_last_life_is_being_deleted", add_last_life, "", ""},
    {"its_service_was_deleted_with_a_member",
     [](Cluster& c) {
       c.services.clear();
       c.services[{"default", "kubernetes"}] = {};
       c.pods[0].terminating = c.pods[7].terminating = true;
     },
     "", ""},
    {"its_service_was_deleted_with_what_made_it",
     [](Cluster& c) {
       c.services.clear();
       c.services[{"default", "kubernetes"}] = {};
       for (SeenPod& pod : c.pods) pod.orphan = true;
     },
     "", ""},
    {"all_is_being_deleted",
     [](Cluster& c) {
       for (auto& pod : c.pods) pod.terminating = true, strip(pod);
     },
     "", ""},
    {"one_is_being_deleted_elsewhere",
     [](Cluster& c) {
       c.pods[2].terminating = true;
       strip(c.pods[2]);
       c.nodes["node-0-2"].labels = labels_of_pool("other");
       c.nodes["node-new"] = {.name = "node-new", .labels = labels_of_pool("pool-0"), .chips = 4};
     },
     "", ""},
    {"a_container_is_started_again", [](Cluster& c) { c.pods[2].processes[0].waits = true; }, "",
     ""},
    {"a_node_has_been_unready_for_a_moment", [](Cluster& c) { c.nodes["node-0-2"].ready = false; },
     "", ""},
    {"chips_by_claim",
     [](Cluster& c) {
       wait(c, 3);
       for (auto& pod : c.pods) pod.by_claim = true;
       for (auto& [name, node] : c.nodes) node.chips = 0;
     },
     "", ""},
    {"chips_of_a_driver_that_knows_the_slice",
     [](Cluster& c) { driven(c, {.topology = "4x4", .chips = 4}); }, "", ""},
    {"a_driver_beside_a_device_plugin",
     [](Cluster& c) {
       driven(c, {.topology = "2x2", .chips = 4});
       for (auto& pod : c.pods) pod.by_claim = false;
     },
     "", ""},
    {"values_that_are_not_known",
     [](Cluster& c) {
       for (auto& pod : c.pods)
         for (auto& value : pod.processes[0].env) value = unknown_value;
     },
     "", ""},
    {"full_domain_names",
     [](Cluster& c) {
       set_lists(c, webhook::read::Variable::tpu_worker_hostnames,
                 "train-w-0-0.train.ml.svc.cluster.local,train-w-0-1.train.ml.svc.cluster.local,"
                 "train-w-0-2.train.ml.svc.cluster.local,train-w-0-3.train.ml.svc.cluster.local");
     },
     "", ""},
    {"addresses",
     [](Cluster& c) {
       set_lists(c, webhook::read::Variable::tpu_process_addresses, addresses());
       set_lists(c, webhook::read::Variable::tpu_process_port, "8471");
     },
     "", ""},
    {"coordinator_with_port",
     [](Cluster& c) {
       set_everywhere(c, webhook::read::Variable::megascale_coordinator_address,
                      "train-w-0-0.train:8080");
     },
     "", ""},
    {"sub_slices_share_a_pool",
     [](Cluster& c) {
       for (auto& pod : c.pods) pod.placed_by_others = true;
       for (auto& [name, node] : c.nodes) node.labels = labels_of_pool("one");
     },
     "", ""},
    {"tpu_name_of_each_slice",
     [](Cluster& c) {
       for (std::size_t pod = 0; pod < 8; ++pod)
         env(c, pod, webhook::read::Variable::tpu_name) = literal(pod < 4 ? "a" : "b");
     },
     "", ""},
    {"single_hosts_need_nothing",
     [](Cluster& c) {
       for (auto& pod : c.pods) {
         strip(pod);
         pod.hosts = 1;
         pod.host = 0;
         pod.slice_key = pod.name;
       }
     },
     "", ""},
};
INSTANTIATE_TEST_SUITE_P(Healthy, AuditTest, testing::ValuesIn(healthy), case_name);

const Case members[] = {
    {"unmutated", [](Cluster& c) { strip(c.pods[1]); }, "unmutated",
     "Pod train-w-0-1-x of a slice of 4 hosts has no TPU_WORKER_ID"},
    {"unmutated_and_nobody",
     [](Cluster& c) {
       forget_hosts(c);
       for (std::size_t pod = 0; pod < 4; ++pod) strip(c.pods[pod]);
     },
     "unmutated", "and never forms; but nothing says which host it is"},
    {"two_are_missing", [](Cluster& c) { c.pods.erase(c.pods.begin() + 1, c.pods.begin() + 3); },
     "incomplete", "2 of 4 hosts have a Pod; hosts 1-2 are missing", Severity::warning},
    {"nobody", forget_hosts, "identity-not-known", "train-w-0-3-x: nothing says which host it is",
     Severity::warning},
    {"incomplete", [](Cluster& c) { c.pods.erase(c.pods.begin() + 1); }, "incomplete",
     "3 of 4 hosts have a Pod; host 1 is missing", Severity::warning},
    {"failed_and_not_replaced",
     [](Cluster& c) {
       c.pods[2].life = Life::failed;
       c.pods[2].failure = "Evicted: The node was low on resource: memory";
     },
     "member-lost",
     "Pod train-w-0-2-x (host 2) has failed (Evicted: The node was low on resource: memory), and "
     "no other Pod has its place"},
    {"failed_just_now", [](Cluster& c) { fail_just_now(c, 2); }, "member-lost",
     "(host 2) has failed", Severity::warning},
    {"one_failed_and_one_missing",
     [](Cluster& c) {
       fail_just_now(c, 2);
       c.pods.resize(7);
       c.pods.erase(c.pods.begin() + 3);
       c.pods.push_back(a_member(1, 3));
     },
     "incomplete member-lost", "(host 2) has failed", Severity::warning},
    {"a_node_is_gone", [](Cluster& c) { c.nodes.erase("node-0-2"); }, "member-lost",
     "Pod train-w-0-2-x (host 2) is lost: node node-0-2 was deleted: it is not among the Nodes",
     Severity::warning},
    {"held_by_a_container_beside",
     [](Cluster& c) {
       c.pods[2].processes[0].exit_code = 137;
       c.pods[2].beside = {"logs"};
     },
     "member-lost",
     "of Pod train-w-0-2-x (host 2) container jax has ended with exit code 137 and is not started "
     "again, but container logs still runs"},
    {"templates_of_two_revisions",
     [](Cluster& c) {
       c.pods[1].revision = "2";
       env(c, 1, webhook::read::Variable::tpu_worker_hostnames) = literal("a,b,c,d");
     },
     "list-differs", "(its Pods are of several templates: it may be rolling over)",
     Severity::warning},
    {"nobody_of_a_job",
     [](Cluster& c) {
       for (std::uint32_t pod = 0; pod < 4; ++pod) {
         c.pods[pod].host.reset();
         c.pods[pod].not_placed = fmt::format("index {} is beyond the slice", pod + 4);
       }
     },
     "identity-not-known", "train-w-0-3-x: index 4 is beyond the slice", Severity::warning},
    {"bad_shape",
     [](Cluster& c) {
       for (std::size_t i = 0; i < 4; ++i) {
         SeenPod& pod = c.pods[i];
         pod.hosts = 0;
         pod.host.reset();
         pod.impossible = true;
         pod.not_placed = "4x4 has 16 chips";
         strip(pod);
       }
     },
     "bad-shape", "4x4 has 16 chips"},
    {"a_slice_is_missing", [](Cluster& c) { c.pods.resize(4); }, "incomplete",
     "the job has 2 slices, but slice 1 has no Pod", Severity::warning},
    {"one_member_twice",
     [](Cluster& c) {
       again(c, 1).processes[0][webhook::read::Variable::tpu_worker_id] = unknown_value;
     },
     "duplicate-member", "Pods train-w-0-1-x and train-w-0-1-x-again are all host 1"},
};
INSTANTIATE_TEST_SUITE_P(Members, AuditTest, testing::ValuesIn(members), case_name);

const Case worker_ids[] = {
    {"chips_of_a_driver_that_knows_no_topology",
     [](Cluster& c) { driven(c, {.topology = "2x2", .chips = 4}); }, "driver-differs",
     "the driver of claims takes node node-0-0 for 4 chips of 2x2 and writes TPU_WORKER_ID=0 and "
     "TPU_WORKER_HOSTNAMES=localhost over the Pod's own: 4 of 4 hosts are each worker 0"},
    {"one_host_whose_driver_knows_no_topology",
     [](Cluster& c) {
       driven(c, {.topology = "4x4", .chips = 4});
       c.driven["node-0-2"].topology = "2x2";
     },
     "driver-differs", "node node-0-2 for 4 chips of 2x2"},
    {"chips_of_a_driver_that_knows_another_slice",
     [](Cluster& c) { driven(c, {.topology = "8x8", .chips = 4}); }, "driver-differs",
     "node node-0-0 for 4 chips of 8x8 and writes its TPU_TOPOLOGY and bounds over the Pod's own; "
     "expected 4x4"},
    {"replacement_has_the_id_of_the_living", [](Cluster& c) { again(c, 1); }, "duplicate-worker-id",
     "TPU_WORKER_ID 1 is held by 2 TPU containers, of Pods train-w-0-1-x and train-w-0-1-x-again; "
     "expected each of 0 to 3 once"},
    {"two_containers_of_a_pod",
     [](Cluster& c) {
       for (std::size_t pod = 0; pod < 4; ++pod) {
         c.pods[pod].processes_per_host = 2;
         TpuProcess second = c.pods[pod].processes[0];
         second[webhook::read::Variable::tpu_worker_id] = literal(std::to_string(2 * pod + 1));
         env(c, pod, webhook::read::Variable::tpu_worker_id) = literal(std::to_string(2 * pod));
         c.pods[pod].processes.push_back(second);
       }
       c.pods[3].processes[1][webhook::read::Variable::tpu_worker_id] = literal("6");
     },
     "duplicate-worker-id",
     "TPU_WORKER_ID 6 is held by 2 TPU containers, of Pod train-w-0-3-x; "
     "expected each of 0 to 7 once; no container has 7"},
    {"out_of_range",
     [](Cluster& c) { env(c, 3, webhook::read::Variable::tpu_worker_id) = literal("4"); },
     "worker-id-out-of-range",
     "Pod train-w-0-3-x has \"4\" in container jax; expected a whole number from 0 to 3, for 4 "},
    {"no_number",
     [](Cluster& c) { env(c, 3, webhook::read::Variable::tpu_worker_id) = literal("three"); },
     "worker-id-out-of-range", "\"three\""},
    {"empty", [](Cluster& c) { env(c, 3, webhook::read::Variable::tpu_worker_id) = literal(""); },
     "worker-id-out-of-range", "has \"\""},
    {"missing",
     [](Cluster& c) { env(c, 3, webhook::read::Variable::tpu_worker_id) = absent_value; },
     "missing-worker-id", "Pod train-w-0-3-x has a TPU container without TPU_WORKER_ID"},
};
INSTANTIATE_TEST_SUITE_P(WorkerIds, AuditTest, testing::ValuesIn(worker_ids), case_name);

const Case lists[] = {
    {"differ",
     [](Cluster& c) {
       env(c, 2, webhook::read::Variable::tpu_worker_hostnames) =
           literal("train-w-0-0.train,b.train,train-w-0-2.train,train-w-0-3.train");
     },
     "list-differs",
     "entry 1 is \"train-w-0-1.train\" on Pod train-w-0-0-x and \"b.train\" on Pod train-w-0-2-x"},
    {"platform_default",
     [](Cluster& c) { set_lists(c, webhook::read::Variable::tpu_worker_hostnames, "localhost"); },
     "list-length",
     "TPU_WORKER_HOSTNAMES has 1 entry (\"localhost\") on Pod train-w-0-0-x; expected 4"},
    {"trailing_comma",
     [](Cluster& c) {
       set_lists(c, webhook::read::Variable::tpu_worker_hostnames, hostnames_of_slice(0) + ",");
     },
     "list-length", "has 5 entries"},
    {"another_order",
     [](Cluster& c) {
       set_lists(c, webhook::read::Variable::tpu_worker_hostnames,
                 "train-w-0-1.train,train-w-0-0.train,train-w-0-2.train,train-w-0-3.train");
     },
     "list-entry",
     "entry 0 of TPU_WORKER_HOSTNAMES is \"train-w-0-1.train\", but that worker is Pod "
     "train-w-0-0-x; expected train-w-0-0.train (2 entries are wrong)"},
    {"another_service",
     [](Cluster& c) {
       set_lists(c, webhook::read::Variable::tpu_worker_hostnames,
                 "train-w-0-0.old,train-w-0-1.old,train-w-0-2.old,train-w-0-3.old");
     },
     "list-entry", "expected train-w-0-0.train (4 entries are wrong)"},
    {"own_port",
     [](Cluster& c) {
       set_lists(c, webhook::read::Variable::tpu_process_addresses, addresses("9999"));
       set_lists(c, webhook::read::Variable::tpu_process_port, "8471");
     },
     "process-port",
     "TPU_PROCESS_PORT of container jax of Pod train-w-0-3-x is \"8471\", but its entry 3"},
    {"stale_addresses",
     [](Cluster& c) {
       set_lists(c, webhook::read::Variable::tpu_process_addresses, "localhost:8471");
     },
     "list-length", "TPU_PROCESS_ADDRESSES has 1 entry"},
};
INSTANTIATE_TEST_SUITE_P(Lists, AuditTest, testing::ValuesIn(lists), case_name);

const Case services[] = {
    {"none",
     [](Cluster& c) {
       c.services.clear();
       c.services[{"default", "kubernetes"}] = {};
     },
     "no-service", "there is no Service of that name in namespace ml"},
    {"not_headless",
     [](Cluster& c) {
       c.services[{"ml", "train"}].headless = false;
     },
     "no-service", "is not headless"},
    {"no_subdomain", [](Cluster& c) { c.pods[5].subdomain = ""; }, "no-subdomain",
     "Pod train-w-1-1-x has no spec.subdomain"},
    {"no_hostname",
     [](Cluster& c) {
       c.pods[5].hostname = "";
       c.pods[5].name = "train-w-1-1";
     },
     "no-subdomain", "Pod train-w-1-1 has no spec.hostname"},
};
INSTANTIATE_TEST_SUITE_P(Services, AuditTest, testing::ValuesIn(services), case_name);

const Case pools[] = {
    {"split", [](Cluster& c) { c.nodes["node-0-3"].labels = labels_of_pool("other"); },
     "split-pools",
     "members are on 2 node pools (1 on other, 3 on pool-0); expected all 4 hosts on one"},
    {"shared",
     [](Cluster& c) {
       for (auto& [name, node] : c.nodes) node.labels = labels_of_pool("one");
     },
     "shared-pool",
     "node pool one holds members of 2 multi-host slices (JobSet ml/train/w, slice 0 of 2; JobSet "
     "ml/train/w, slice 1 of 2)"},
    {"a_stray_beside_a_slice_that_runs",
     [](Cluster& c) {
       for (SeenPod& pod : c.pods) pod.placement_key = pod.slice_key;
       c.strays.push_back({"ml", "web", "train-0", "tpu-webhook.dev/slice-key"});
     },
     "stray-slice-key",
     "Pod web has no chips and the label tpu-webhook.dev/slice-key of this slice",
     Severity::warning},
    {"a_stray_that_holds_a_slice",
     [](Cluster& c) {
       c.pods.resize(4);
       for (SeenPod& pod : c.pods) {
         pod.placement_key = pod.slice_key;
         pod.slice_count = 1;
         pod.node.clear();
         pod.life = Life::pending;
         for (auto& process : pod.processes) process[Variable::megascale_num_slices] = literal("1");
       }
       c.strays.push_back({"ml", "web", "train-0", "tpu-webhook.dev/slice-key"});
     },
     "stray-slice-key", "no member is bound, and the first may only go to that Pod's node pool"},
    {"strays_beside_a_slice_that_runs", [](Cluster& c) { add_strays(c, 7); }, "stray-slice-key",
     "Pods web-0, web-1, web-2, web-3 and 3 more have no chips and the label "
     "tpu-webhook.dev/slice-key of this slice, so the scheduler takes them for members",
     Severity::warning},
    {"larger_nodes", [](Cluster& c) { c.nodes["node-0-3"].chips = 8; }, "chips-per-node",
     "node node-0-3 has 8 chips, but Pod train-w-0-3-x on it asks for 4"},
    {"begun_beside_a_cordoned_node",
     [](Cluster& c) {
       wait(c, 3);
       c.nodes["node-0-3"].unschedulable = true;
     },
     "unfit-pool",
     "it has started on node pool pool-0, which cannot hold it: node node-0-3 is cordoned; 3 of 4 "
     "hosts are bound and wait for the rest",
     Severity::warning},
    {"begun_beside_a_node_that_is_not_ready",
     [](Cluster& c) {
       wait(c, 3);
       c.nodes["node-0-3"].ready = false;
     },
     "unfit-pool", "node node-0-3 is not ready", Severity::warning},
    {"begun_beside_a_node_that_stays_cordoned",
     [](Cluster& c) {
       wait(c, 3);
       c.now = Time(std::chrono::hours(24 * 365 * 56));
       c.pods[3].created = *c.now - std::chrono::minutes(61);
       c.nodes["node-0-3"].unschedulable = true;
     },
     "unfit-pool", "node node-0-3 is cordoned"},
    {"a_dead_node_of_which_the_pod_is_being_deleted",
     [](Cluster& c) {
       c.pods[3].terminating = true;
       c.nodes["node-0-3"].ready = false;
     },
     "unfit-pool", "node node-0-3 is not ready; 3 of 4 hosts are bound", Severity::warning},
    {"begun_where_a_node_has_no_chips_yet",
     [](Cluster& c) {
       wait(c, 3);
       c.nodes["node-0-3"].chips = 0;
     },
     "unfit-pool", "node node-0-3 has 0 chips", Severity::warning},
    {"a_part_of_a_node",
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
     },
     "chips-per-node",
     "node node-0-0 has 4 chips, but Pod train-w-0-0-x on it asks for 1; expected "
     "a Pod with TPUs to take its whole node"},
    {"begun_beside_a_node_that_was_not_ready_just_now",
     [](Cluster& c) {
       wait(c, 3);
       c.nodes["node-0-3"].taints = {{"node.kubernetes.io/not-ready", ""}};
     },
     "unfit-pool", "has taint node.kubernetes.io/not-ready", Severity::warning},
    {"begun_beside_a_node_with_a_taint",
     [](Cluster& c) {
       wait(c, 3);
       c.nodes["node-0-3"].taints = {{"team", "blue"}};
     },
     "unfit-pool", "node node-0-3 has taint team, which the Pods do not tolerate"},
    {"begun_where_a_node_is_missing",
     [](Cluster& c) {
       wait(c, 3);
       c.nodes.erase("node-0-3");
     },
     "unfit-pool", "the pool has 3 of 4 nodes", Severity::warning},
    {"begun_where_a_node_has_fewer_chips",
     [](Cluster& c) {
       wait(c, 3);
       c.nodes["node-0-3"].chips = 3;
     },
     "unfit-pool", "node node-0-3 has 3 chips, a Pod needs 4"},
};
INSTANTIATE_TEST_SUITE_P(Pools, AuditTest, testing::ValuesIn(pools), case_name);

const Case jobs[] = {
    {"members_disagree",
     [](Cluster& c) {
       env(c, 1, webhook::read::Variable::megascale_coordinator_address) = absent_value;
     },
     "megascale-differs",
     "MEGASCALE_COORDINATOR_ADDRESS is \"train-w-0-0.train\" on Pod train-w-0-0-x and not set on "
     "Pod train-w-0-1-x"},
    {"slices_disagree",
     [](Cluster& c) {
       for (std::size_t pod = 4; pod < 8; ++pod)
         env(c, pod, webhook::read::Variable::megascale_coordinator_address) =
             literal("train-w-1-0.train");
     },
     "megascale-differs",
     "MEGASCALE_COORDINATOR_ADDRESS is \"train-w-1-0.train\" here and "
     "\"train-w-0-0.train\" in JobSet ml/train/w, slice 0 of 2"},
    {"stale_count",
     [](Cluster& c) { set_everywhere(c, webhook::read::Variable::megascale_num_slices, "3"); },
     "megascale-slices", "MEGASCALE_NUM_SLICES is \"3\"; expected 2, as JobSet train says"},
    {"id_out_of_range",
     [](Cluster& c) {
       for (std::size_t pod = 4; pod < 8; ++pod)
         env(c, pod, webhook::read::Variable::megascale_slice_id) = literal("2");
     },
     "megascale-slices",
     "MEGASCALE_SLICE_ID is \"2\"; expected a number from 0 to 1, for 2 slices"},
    {"id_twice",
     [](Cluster& c) {
       for (std::size_t pod = 0; pod < 4; ++pod)
         env(c, pod, webhook::read::Variable::megascale_slice_id) = literal("1");
     },
     "megascale-slices", "MEGASCALE_SLICE_ID is \"1\" here and in JobSet ml/train/w, slice 0 of 2"},
    {"coordinator_is_another",
     [](Cluster& c) {
       set_everywhere(c, webhook::read::Variable::megascale_coordinator_address,
                      "train-w-1-0.train");
     },
     "megascale-coordinator",
     "but host 0 of slice 0 is Pod train-w-0-0-x; expected train-w-0-0.train"},
    {"tpu_name_differs",
     [](Cluster& c) {
       env(c, 0, webhook::read::Variable::tpu_name) = literal("a");
       env(c, 1, webhook::read::Variable::tpu_name) = literal("b");
     },
     "tpu-name-differs", "TPU_NAME is \"a\" on Pod train-w-0-0-x and \"b\" on Pod train-w-0-1-x"},
    {"tpu_name_shared_where_only_ray_minds",
     [](Cluster& c) { set_everywhere(c, webhook::read::Variable::tpu_name, "a"); },
     "tpu-name-shared", "TPU_NAME \"a\" is also that of JobSet ml/train/w, slice 0 of 2",
     Severity::warning},
    {"tpu_name_shared",
     [](Cluster& c) {
       set_everywhere(c, webhook::read::Variable::tpu_name, "a");
       for (SeenPod& pod : c.pods) pod.workload = webhook::config::WorkloadKind::ray;
     },
     "tpu-name-shared", "TPU_NAME \"a\" is also that of JobSet ml/train/w, slice 0 of 2"},
};
INSTANTIATE_TEST_SUITE_P(Jobs, AuditTest, testing::ValuesIn(jobs), case_name);

// The level of a row is the worst that is said of it.
TEST(Audit, has_a_test_for_each_row_of_its_table_at_its_level) {
  std::set<std::string> tested;
  std::map<std::string, std::string> levels, known;
  using Table = std::span<const Case>;
  for (const Table table :
       std::initializer_list<Table>{members, worker_ids, lists, services, pools, jobs})
    for (const Case& each : table) {
      if (each.check.find(' ') == each.check.npos) tested.insert(each.check);
      Cluster cluster = a_cluster();
      each.spoil(cluster);
      for (const Finding& found : audit(cluster, report_slices(cluster)).findings) {
        std::string& level = levels[found.check];
        if (level != "error") level = found.severity == Severity::error ? "error" : "warn";
      }
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
  env(cluster, 0, webhook::read::Variable::tpu_worker_id) = unknown_value;
  EXPECT_THAT(not_known(cluster),
              testing::ElementsAre(HasSubstr("slice 0 of 2: TPU_WORKER_ID comes from valueFrom"),
                                   "no Node is in the snapshot, so node pools were not compared",
                                   HasSubstr("no Service is in the snapshot")));
}

TEST(Audit, puts_errors_first) {
  Cluster cluster = a_cluster();
  cluster.pods.erase(cluster.pods.begin() + 1);
  env(cluster, 5, webhook::read::Variable::tpu_worker_id) = literal("9");
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
    env(cluster, pod, webhook::read::Variable::tpu_worker_id).ours = true;
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
