#include "kubectl/predict/explain/hindrances.hpp"

#include "kubectl/text/yaml.hpp"
#include "tests/support/named_case.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::explain {
namespace {

using test::PrintTo;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

nlohmann::ordered_json object(const std::string& yaml) {
  return text::parse_yaml(yaml).value().front();
}

struct PodCase {
  const char* name;
  std::string spec;
  const char* fault = "";  // a part of it, "" for none
  const char* note = "";   // likewise
  std::uint32_t hosts = 4;
  const char* metadata = "name: a, namespace: ns, labels: {app: a}, ownerReferences: [{kind: Job}]";
};

class WhatAPodSays : public testing::TestWithParam<PodCase> {};

TEST_P(WhatAPodSays, may_keep_its_slice_from_forming) {
  const PodCase& c = GetParam();
  slices::SeenPod seen;
  seen.hosts = c.hosts;
  seen.chips = 4;
  const Hindrances found = hindrances_of_pod(
      object(fmt::format("{{metadata: {{{}}}, spec: {{{}}}}}", c.metadata, c.spec)), seen);
  if (*c.fault == '\0') {
    EXPECT_TRUE(found.faults.empty()) << found.faults.front().sentence;
  } else {
    ASSERT_EQ(found.faults.size(), 1u);
    EXPECT_THAT(found.faults.front().sentence, HasSubstr(c.fault));
    EXPECT_FALSE(found.faults.front().denied);
    EXPECT_FALSE(fixes::words(found.faults.front().fix).empty());
  }
  if (*c.note == '\0')
    EXPECT_THAT(found.notes, IsEmpty());
  else
    EXPECT_THAT(found.notes, ElementsAre(HasSubstr(c.note)));
}

std::string spread(const char* more) {
  return fmt::format(
      "topologySpreadConstraints: [{{labelSelector: {{matchLabels: {{app: a}}}}, {}}}]", more);
}

std::string repelled(const char* key, const char* app) {
  return fmt::format(
      "affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
      "[{{topologyKey: {}, labelSelector: {{matchLabels: {{app: {}}}}}}}]}}}}",
      key, app);
}

std::string two_ports(const char* first, const char* second) {
  return fmt::format("containers: [{{name: a, ports: [{{{}}}]}}, {{name: b, ports: [{{{}}}]}}]",
                     first, second);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, WhatAPodSays,
    testing::Values(
        PodCase{
            .name = "windows", .spec = "os: {name: windows}", .fault = "spec.os.name is windows"},
        PodCase{.name = "linux", .spec = "os: {name: linux}"},
        PodCase{.name = "one_node_for_all",
                .spec = "nodeName: node-a",
                .fault = "puts all 4 hosts of a slice on node node-a"},
        PodCase{.name = "one_node_for_one",
                .spec = "nodeName: node-a",
                .note = "spec.nodeName is node-a: no scheduler is involved",
                .hosts = 1},
        PodCase{.name = "one_node_for_a_pod_by_itself",
                .spec = "nodeName: node-a",
                .note = "fewer than 4 free chips",
                .metadata = "name: a"},
        PodCase{.name = "runtime_class",
                .spec = "runtimeClassName: gvisor",
                .note = "RuntimeClass gvisor must exist"},
        PodCase{.name = "scheduler", .spec = "schedulerName: x", .note = "scheduler x places"},
        PodCase{.name = "the_default_scheduler", .spec = "schedulerName: default-scheduler"},
        PodCase{.name = "spread_over_zones",
                .spec = spread("topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule"),
                .note = "allow one zone at most 1 of the Pods more than another, but the 4"},
        PodCase{.name = "spread_where_possible",
                .spec = spread("topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway")},
        PodCase{.name = "spread_over_hosts",
                .spec = spread("topologyKey: kubernetes.io/hostname, maxSkew: 1")},
        PodCase{.name = "spread_wide_enough", .spec = spread("topologyKey: zone, maxSkew: 4")},
        PodCase{.name = "spread_of_other_pods",
                .spec = "topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, "
                        "labelSelector: {matchLabels: {app: b}}}]"},
        PodCase{.name = "a_zone_for_each",
                .spec = repelled("topology.kubernetes.io/zone", "a"),
                .fault = "gives each of these Pods a topology.kubernetes.io/zone of its own"},
        PodCase{.name = "a_host_for_each", .spec = repelled("kubernetes.io/hostname", "a")},
        PodCase{.name = "a_zone_without_others",
                .spec = repelled("topology.kubernetes.io/zone", "b")},
        PodCase{.name = "a_resource_of_others",
                .spec = "containers: [{name: c, resources: {limits: {example.com/nic: 1}}}]",
                .note = "the Pods ask for example.com/nic: whether"},
        PodCase{.name = "resources_of_others",
                .spec = "containers: [{resources: {limits: {example.com/nic: 1, example.com/a: "
                        "1}}}, {resources: {limits: {example.com/nic: 1}}}]",
                .note = "the Pods ask for example.com/a, and 1 more: whether"},
        PodCase{.name = "resources_of_nodes",
                .spec = "containers: [{name: c, resources: {limits: {google.com/tpu: 4, cpu: 1, "
                        "ephemeral-storage: 1Gi, hugepages-2Mi: 2Mi}}}]"},
        PodCase{
            .name = "a_port_of_the_host_twice",
            .spec = two_ports("containerPort: 1, hostPort: 80", "containerPort: 2, hostPort: 80"),
            .fault = "containers a and b both take port 80/TCP of the host"},
        PodCase{.name = "ports_of_two_protocols",
                .spec = two_ports("containerPort: 1, hostPort: 80",
                                  "containerPort: 2, hostPort: 80, protocol: UDP")},
        PodCase{.name = "a_container_port_twice",
                .spec = two_ports("containerPort: 80", "containerPort: 80")},
        PodCase{.name = "a_container_port_twice_on_the_host",
                .spec = "hostNetwork: true, " + two_ports("containerPort: 80", "containerPort: 80"),
                .fault = "port 80/TCP of the host (hostNetwork)"},
        PodCase{.name = "a_port_twice_in_one_container",
                .spec = "containers: [{name: a, ports: [{hostPort: 80}, {hostPort: 80}]}]",
                .fault = "container a lists port 80/TCP of the host twice"},
        PodCase{.name = "ports_of_the_host_twice",
                .spec = "hostNetwork: true, containers: [{name: a, ports: [{containerPort: 1}, "
                        "{containerPort: 2}, {containerPort: 1}, {containerPort: 2}]}]",
                .fault = "lists port 1/TCP of the host twice (hostNetwork), and 1 more, and"},
        PodCase{.name = "users_of_its_own_on_the_host",
                .spec = "hostUsers: false, hostNetwork: true",
                .fault = "hostNetwork is true and hostUsers is false"},
        PodCase{.name = "users_of_its_own", .spec = "hostUsers: false"},
        PodCase{.name = "a_full_name_that_is_too_long",
                .spec = "setHostnameAsFQDN: true, subdomain: service, hostname: "
                        "a-host-of-a-slice-with-a-long-name-0000",
                .fault = "has 68 characters of at most 64"},
        PodCase{.name = "a_full_name",
                .spec = "setHostnameAsFQDN: true, hostname: a, subdomain: service"},
        PodCase{.name = "fields_of_the_wrong_type",
                .spec = "os: 1, nodeName: {}, containers: [1, {ports: x}], "
                        "topologySpreadConstraints: [1], hostUsers: a"}),
    test::case_name);

struct ObjectCase {
  const char* name;
  const char* yaml;
  const char* note = "";  // a part of the only one, "" for none
};

class WhatAnObjectSays : public testing::TestWithParam<ObjectCase> {};

TEST_P(WhatAnObjectSays, may_keep_its_slices_from_forming) {
  const auto notes = hindrances_of_object(object(GetParam().yaml));
  if (*GetParam().note == '\0')
    EXPECT_THAT(notes, IsEmpty());
  else
    EXPECT_THAT(notes, ElementsAre(HasSubstr(GetParam().note)));
}

INSTANTIATE_TEST_SUITE_P(
    Fields, WhatAnObjectSays,
    testing::Values(
        ObjectCase{"deadline_of_a_job", "{kind: Job, spec: {activeDeadlineSeconds: 600}}",
                   "the Job ends 600 s after it began"},
        ObjectCase{"deadline_of_the_jobs_of_a_cronjob",
                   "{kind: CronJob, spec: {jobTemplate: {spec: {activeDeadlineSeconds: 5}}}}",
                   "ends 5 s"},
        ObjectCase{"deadline_of_jobs_of_a_jobset_once",
                   "{kind: JobSet, spec: {replicatedJobs: [{template: {spec: "
                   "{activeDeadlineSeconds: 5}}}, {template: {spec: "
                   "{activeDeadlineSeconds: 5}}}]}}",
                   "ends 5 s"},
        ObjectCase{"deadline_of_a_rayjob", "{kind: RayJob, spec: {activeDeadlineSeconds: 60}}",
                   "the RayJob ends 60 s"},
        ObjectCase{"deadline_of_a_rayjob_that_waits",
                   "{kind: RayJob, spec: {preRunningDeadlineSeconds: 60}}",
                   "the RayJob fails 60 s after it began"},
        ObjectCase{"a_job_of_others", "{kind: Job, spec: {managedBy: example.com/x}}",
                   "managedBy is example.com/x: the controller of this cluster leaves the Job"},
        ObjectCase{"a_job_of_its_controller",
                   "{kind: Job, spec: {managedBy: kubernetes.io/job-controller}}"},
        ObjectCase{"a_jobset_of_others",
                   "{kind: JobSet, spec: {managedBy: kueue.x-k8s.io/multikueue}}",
                   "leaves the JobSet"},
        ObjectCase{"a_jobset_of_its_controller",
                   "{kind: JobSet, spec: {managedBy: jobset.sigs.k8s.io/jobset-controller}}"},
        ObjectCase{"a_raycluster_of_others",
                   "{kind: RayCluster, spec: {managedBy: kueue.x-k8s.io/multikueue}}",
                   "leaves the RayCluster"},
        ObjectCase{"a_rayservice_of_others",
                   "{kind: RayService, spec: {managedBy: kueue.x-k8s.io/multikueue}}",
                   "leaves the RayService"},
        ObjectCase{"the_cluster_of_a_rayjob",
                   "{kind: RayJob, spec: {rayClusterSpec: {managedBy: kueue.x-k8s.io/multikueue}}}",
                   "leaves the RayCluster"},
        ObjectCase{"a_paused_deployment", "{kind: Deployment, spec: {paused: true}}",
                   "it is paused"},
        ObjectCase{"a_deployment", "{kind: Deployment, spec: {paused: false}}"},
        ObjectCase{"fields_of_the_wrong_type",
                   "{kind: JobSet, spec: {managedBy: 1, replicatedJobs: [1, {template: x}]}}"}),
    test::case_name);

const topology::MachineType& machine_of_four() {
  const auto& all = topology::find_generation("tpu-v6e-slice")->machine_types;
  return *std::ranges::find(all, 4u, &topology::MachineType::chips_per_vm);
}

TEST(AMachine, has_room_for_requests_up_to_all_that_it_has) {
  constexpr double gib = 1024.0 * 1024 * 1024;
  EXPECT_THAT(larger_than(machine_of_four(), {{"cpu", 180}, {"memory", 720 * gib}}), IsEmpty());
  const auto faults = larger_than(machine_of_four(), {{"cpu", 181}, {"memory", 800 * gib}});
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_THAT(faults[0].sentence,
              HasSubstr("requests 181 CPUs, and a ct6e-standard-4t has 180, some"));
  EXPECT_THAT(faults[1].sentence,
              HasSubstr("requests 800 GiB of memory, and a ct6e-standard-4t has 720"));
}

}  // namespace
}  // namespace tpuwh::server::explain
