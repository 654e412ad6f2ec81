#include "kubectl/predict/explain/hindrances.hpp"

#include "tests/support/yaml.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST(WhatAPodSays, may_keep_its_slice_from_forming) {
  const struct {
    std::string spec;
    const char* fault = "";  // a part of it, "" for none
    const char* note = "";   // likewise
    std::uint32_t hosts = 4;
    const char* metadata =
        "name: a, namespace: ns, labels: {app: a}, ownerReferences: [{kind: Job}]";
  } cases[] = {
      {"os: {name: windows}", "spec.os.name is windows"},
      {"os: {name: linux}"},
      {"nodeName: node-a", "puts all 4 hosts of a slice on node node-a"},
      {"nodeName: node-a", "", "spec.nodeName is node-a: no scheduler is involved", 1},
      {"nodeName: node-a", "", "fewer than 4 free chips", 4, "name: a"},
      {"runtimeClassName: gvisor", "", "RuntimeClass gvisor must exist"},
      {"schedulerName: x", "", "scheduler x places"},
      {"schedulerName: default-scheduler"},
      {spread("topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule"), "",
       "allow one zone at most 1 of the Pods more than another, but the 4"},
      {spread("topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway")},
      {spread("topologyKey: kubernetes.io/hostname, maxSkew: 1")},
      {spread("topologyKey: zone, maxSkew: 4")},
      {"topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, labelSelector: {matchLabels: "
       "{app: b}}}]"},
      {repelled("topology.kubernetes.io/zone", "a"),
       "gives each of these Pods a topology.kubernetes.io/zone of its own"},
      {repelled("kubernetes.io/hostname", "a")},
      {repelled("topology.kubernetes.io/zone", "b")},
      {"containers: [{name: c, resources: {limits: {example.com/nic: 1}}}]", "",
       "the Pods ask for example.com/nic: whether"},
      {"containers: [{resources: {limits: {example.com/nic: 1, example.com/a: 1}}}, {resources: "
       "{limits: {example.com/nic: 1}}}]",
       "", "the Pods ask for example.com/a, and 1 more: whether"},
      {"containers: [{name: c, resources: {limits: {google.com/tpu: 4, cpu: 1, ephemeral-storage: "
       "1Gi, hugepages-2Mi: 2Mi}}}]"},
      {two_ports("containerPort: 1, hostPort: 80", "containerPort: 2, hostPort: 80"),
       "containers a and b both take port 80/TCP of the host"},
      {two_ports("containerPort: 1, hostPort: 80",
                 "containerPort: 2, hostPort: 80, protocol: UDP")},
      {two_ports("containerPort: 80", "containerPort: 80")},
      {"hostNetwork: true, " + two_ports("containerPort: 80", "containerPort: 80"),
       "port 80/TCP of the host (hostNetwork)"},
      {"containers: [{name: a, ports: [{hostPort: 80}, {hostPort: 80}]}]",
       "container a lists port 80/TCP of the host twice"},
      {"hostNetwork: true, containers: [{name: a, ports: [{containerPort: 1}, {containerPort: 2}, "
       "{containerPort: 1}, {containerPort: 2}]}]",
       "lists port 1/TCP of the host twice (hostNetwork), and 1 more, and"},
      {"hostUsers: false, hostNetwork: true", "hostNetwork is true and hostUsers is false"},
      {"hostUsers: false"},
      {"setHostnameAsFQDN: true, subdomain: service, hostname: "
       "a-host-of-a-slice-with-a-long-name-0000",
       "has 68 characters of at most 64"},
      {"setHostnameAsFQDN: true, hostname: a, subdomain: service"},
      {"os: 1, nodeName: {}, containers: [1, {ports: x}], topologySpreadConstraints: [1], "
       "hostUsers: a"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.spec);
    slices::SeenPod seen;
    seen.hosts = c.hosts;
    seen.chips = 4;
    const Hindrances found = hindrances_of_pod(
        test::yaml(fmt::format("{{metadata: {{{}}}, spec: {{{}}}}}", c.metadata, c.spec)), seen);
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
}

TEST(WhatAnObjectSays, may_keep_its_slices_from_forming) {
  const std::pair<const char*, const char*> cases[] = {
      {"{kind: Job, spec: {activeDeadlineSeconds: 600}}", "the Job ends 600 s after it began"},
      {"{kind: CronJob, spec: {jobTemplate: {spec: {activeDeadlineSeconds: 5}}}}", "ends 5 s"},
      {"{kind: JobSet, spec: {replicatedJobs: [{template: {spec: {activeDeadlineSeconds: 5}}}, "
       "{template: {spec: {activeDeadlineSeconds: 5}}}]}}",
       "ends 5 s"},
      {"{kind: RayJob, spec: {activeDeadlineSeconds: 60}}", "the RayJob ends 60 s"},
      {"{kind: RayJob, spec: {preRunningDeadlineSeconds: 60}}",
       "the RayJob fails 60 s after it began"},
      {"{kind: Job, spec: {managedBy: example.com/x}}",
       "managedBy is example.com/x: the controller of this cluster leaves the Job"},
      {"{kind: Job, spec: {managedBy: kubernetes.io/job-controller}}", ""},
      {"{kind: JobSet, spec: {managedBy: kueue.x-k8s.io/multikueue}}", "leaves the JobSet"},
      {"{kind: JobSet, spec: {managedBy: jobset.sigs.k8s.io/jobset-controller}}", ""},
      {"{kind: RayCluster, spec: {managedBy: kueue.x-k8s.io/multikueue}}", "leaves the RayCluster"},
      {"{kind: RayService, spec: {managedBy: kueue.x-k8s.io/multikueue}}", "leaves the RayService"},
      {"{kind: RayJob, spec: {rayClusterSpec: {managedBy: kueue.x-k8s.io/multikueue}}}",
       "leaves the RayCluster"},
      {"{kind: Deployment, spec: {paused: true}}", "it is paused"},
      {"{kind: Deployment, spec: {paused: false}}", ""},
      {"{kind: JobSet, spec: {managedBy: 1, replicatedJobs: [1, {template: x}]}}", ""},
  };
  for (const auto& [yaml, note] : cases) {
    SCOPED_TRACE(yaml);
    const auto notes = hindrances_of_object(test::yaml(yaml));
    if (*note == '\0')
      EXPECT_THAT(notes, IsEmpty());
    else
      EXPECT_THAT(notes, ElementsAre(HasSubstr(note)));
  }
}

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
