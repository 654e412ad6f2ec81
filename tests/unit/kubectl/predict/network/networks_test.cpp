#include "kubectl/predict/network/networks.hpp"

#include "kubectl/predict/network/policy_object.hpp"
#include "kubectl/text/yaml.hpp"
#include "tests/support/yaml.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tpuwh::server::network {
namespace {

using slices::EnvValue;
using slices::SeenPod;
using testing::ElementsAre;
using testing::IsEmpty;
using webhook::read::Variable;
using Json = nlohmann::ordered_json;

struct APod {
  Json object, pod;
  SeenPod seen;
};

APod a_pod(const Json& labels, const std::string& slice) {
  APod out;
  out.object = {{"kind", "Job"}, {"metadata", {{"name", "train"}}}};
  out.pod["metadata"]["labels"] = labels;
  out.pod["spec"]["containers"] = Json::array({Json{{"name", "c"}}});
  out.seen.ns = "ml";
  out.seen.hosts = 4;
  out.seen.slice_key = slice;
  out.seen.job_key = "job";
  out.seen.processes.push_back({.container = "c"});
  return out;
}

APod of_job() {
  return a_pod({{"batch.kubernetes.io/job-name", "train"}, {"app", "x"}}, "train");
}

APod of_jobset(int index) {
  return a_pod({{"jobset.sigs.k8s.io/jobset-name", "train"},
                {"jobset.sigs.k8s.io/replicatedjob-name", "w"},
                {"jobset.sigs.k8s.io/job-index", std::to_string(index)},
                {"batch.kubernetes.io/job-name", fmt::format("train-w-{}", index)}},
               fmt::format("train-{}", index));
}

APod of_ray(const std::string& group) {
  return a_pod({{"ray.io/cluster", "ray"}, {"ray.io/group", group}}, group);
}

EnvValue& env(APod& pod, Variable variable) {
  return pod.seen.processes.front()[variable];
}

EnvValue literal(std::string text) {
  return {EnvValue::Kind::literal, std::move(text)};
}

Networks of(const std::vector<APod>& pods, std::span<const Policy> policies = {},
            std::vector<std::string> made_up = {}, bool labels_known = true) {
  Networks out(policies, std::move(made_up), labels_known);
  for (const APod& each : pods) out.add(each.object, each.pod, each.seen);
  return out;
}

std::vector<std::uint32_t> ports(const Network& network) {
  std::vector<std::uint32_t> out;
  for (const auto& [port, use] : network.open.ports) out.push_back(port);
  return out;
}

// docs/governance.md shows the whole object, in a sample that tests/readme runs.
TEST(ANetwork, is_one_for_each_slice_unless_they_are_one_job) {
  auto list = of({of_jobset(0), of_jobset(0), of_jobset(1)}).list();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1].name, "train-w-1-slice");
  EXPECT_EQ(list[1].selected.at("jobset.sigs.k8s.io/job-index"), "1");
  std::vector<APod> job{of_jobset(0), of_jobset(1)};
  for (APod& each : job) env(each, Variable::megascale_num_slices) = literal("2");
  list = of(job).list();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list.front().name, "train-w-slice");
  EXPECT_FALSE(list.front().selected.contains("jobset.sigs.k8s.io/job-index"));
  EXPECT_THAT(ports(list.front()), ElementsAre(8080u, 8471u, 8476u, 8482u));
}

TEST(ANetwork, has_the_ports_that_variables_name) {
  APod pod = of_job();
  env(pod, Variable::tpu_process_addresses) = literal("a.s:8471,a.s:8472,b.s:8471,b.s:8472");
  env(pod, Variable::torch_tpu_slicebuilder_addresses) = literal("a.s:9000,b.s:9000");
  env(pod, Variable::megascale_num_slices) = literal("2");
  env(pod, Variable::megascale_port) = literal("8081");
  env(pod, Variable::megascale_coordinator_address) = literal("a.s:8085");
  pod.pod["spec"]["containers"][0]["env"] =
      Json::array({Json{{"name", "JAX_COORDINATOR_ADDRESS"}, {"value", "a.s:1234"}}});
  const auto list = of({pod}).list();
  EXPECT_THAT(ports(list.front()), ElementsAre(1234u, 8081u, 8085u, 8471u, 8472u, 9000u));
  EXPECT_EQ(list.front().open.ports.at(8472).of, "TPU_PROCESS_ADDRESSES");
  EXPECT_THAT(list.front().open.not_known, IsEmpty());
}

TEST(ANetwork, says_which_ports_it_does_not_know) {
  APod pod = of_job();
  env(pod, Variable::tpu_process_port) = {EnvValue::Kind::unknown};
  env(pod, Variable::tpu_process_addresses_path) = literal("/addresses");
  const auto list = of({pod}).list();
  EXPECT_THAT(list.front().open.not_known,
              ElementsAre("TPU_PROCESS_ADDRESSES_PATH", "TPU_PROCESS_PORT"));
  EXPECT_THAT(ports(list.front()), ElementsAre(8476u, 8482u));
}

TEST(ANetwork, of_ray_is_open_to_its_cluster) {
  const auto list = of({of_ray("a"), of_ray("a"), of_ray("b")}).list();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "ray-a-slice");
  EXPECT_EQ(list[0].selected, (Labels{{"ray.io/cluster", "ray"}, {"ray.io/group", "a"}}));
  EXPECT_EQ(list[0].from, (Labels{{"ray.io/cluster", "ray"}}));
  EXPECT_FALSE(policy_object(list[0])["spec"]["ingress"][0].contains("ports"));
}

TEST(ANetwork, of_a_stateful_set_is_what_it_selects) {
  APod pod = a_pod({{"app", "Serve_it"}}, "s");
  pod.object = test::yaml("{kind: StatefulSet, spec: {selector: {matchLabels: {app: Serve_it}}}}");
  const auto list = of({pod}).list();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list.front().name, "serve-it-slice");
  EXPECT_EQ(list.front().selected, (Labels{{"app", "Serve_it"}}));
}

TEST(ANetwork, is_none_where_its_pods_cannot_be_told) {
  const auto why = [](const Networks& networks) {
    EXPECT_THAT(networks.list(), IsEmpty());
    return networks.without().empty() ? "" : *networks.without().begin();
  };
  APod alone = of_job();
  alone.seen.hosts = 1;
  EXPECT_EQ(why(of({alone})), "");
  APod on_host = of_job();
  on_host.seen.host_network = true;
  EXPECT_EQ(why(of({on_host})),
            "its Pods use the host's network, where the effect of a NetworkPolicy is not defined");
  EXPECT_EQ(
      why(of({of_job()}, {}, {"train"})),
      "label batch.kubernetes.io/job-name of its Pods has a value that only a cluster gives out");
  const std::string unknown = "no label is known that all its Pods have, and no others";
  EXPECT_EQ(why(of({of_job()}, {}, {}, false)), unknown);
  EXPECT_EQ(why(of({a_pod({{"app", "x"}}, "s")})), unknown);
}

std::vector<Policy> policies(const std::string& documents) {
  std::vector<Policy> out;
  for (const Json& each : *text::parse_yaml(documents)) out.emplace_back(each, "ml");
  return out;
}

const std::string deny =
    "metadata: {name: deny}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n";

TEST(BlockedPorts, are_those_of_which_no_policy_admits_one) {
  const auto denied = policies(deny);
  const auto blocked = of({of_job(), of_job()}, denied).blocked();
  ASSERT_EQ(blocked.size(), 1u);
  EXPECT_EQ(blocked.front().direction, Direction::ingress);
  EXPECT_THAT(blocked.front().policies, ElementsAre("deny"));
  EXPECT_EQ(blocked.front().ports,
            (std::map<std::uint32_t, std::string>{{8471, "libtpu's default"}}));
  const auto admitted = policies(deny +
                                 "---\nmetadata: {name: a}\nspec: {podSelector: {matchLabels: "
                                 "{app: x}}, ingress: [{ports: [{port: 8471}]}]}\n");
  EXPECT_THAT(of({of_job(), of_job()}, admitted).blocked(), IsEmpty());
}

// Whoever applies what is printed has no such finding.
TEST(BlockedPorts, are_none_with_the_policy_that_is_printed) {
  std::vector<Policy> all = policies(deny);
  std::vector<APod> job{of_jobset(0), of_jobset(1)};
  job.insert(job.end(), {of_jobset(0), of_jobset(1)});
  for (APod& each : job) env(each, Variable::megascale_num_slices) = literal("2");
  const auto before = of(job, all);
  ASSERT_EQ(before.blocked().size(), 1u);
  EXPECT_EQ(before.blocked().front().ports.size(), 2u);
  for (const Network& each : before.list()) all.emplace_back(policy_object(each), "ml");
  EXPECT_THAT(of(job, all).blocked(), IsEmpty());
}

TEST(BlockedPorts, are_of_slices_of_their_own) {
  // Each slice for itself, and no other: MegaScale's port is blocked, libtpu's is not.
  const auto apart = policies(
      "metadata: {name: zero}\nspec: {podSelector: {matchLabels: {jobset.sigs.k8s.io/job-index: "
      "'0'}}, ingress: [{from: [{podSelector: {matchLabels: {jobset.sigs.k8s.io/job-index: "
      "'0'}}}], ports: [{port: 8471}]}]}\n---\n"
      "metadata: {name: one}\nspec: {podSelector: {matchLabels: {jobset.sigs.k8s.io/job-index: "
      "'1'}}, ingress: [{from: [{podSelector: {matchLabels: {jobset.sigs.k8s.io/job-index: "
      "'1'}}}], ports: [{port: 8471}]}]}\n");
  std::vector<APod> job{of_jobset(0), of_jobset(0), of_jobset(1), of_jobset(1)};
  EXPECT_THAT(of(job, apart).blocked(), IsEmpty());
  for (APod& each : job) env(each, Variable::megascale_num_slices) = literal("2");
  const auto blocked = of(job, apart).blocked();
  ASSERT_EQ(blocked.size(), 1u);
  EXPECT_THAT(blocked.front().policies, ElementsAre("one", "zero"));
  EXPECT_EQ(blocked.front().ports.begin()->second, "MegaScale's default");
}

TEST(BlockedPorts, of_what_is_sent_are_said_by_themselves) {
  const auto sent =
      policies("metadata: {name: out}\nspec: {podSelector: {}, policyTypes: [Egress]}\n");
  const auto blocked = of({of_job(), of_job()}, sent).blocked();
  ASSERT_EQ(blocked.size(), 1u);
  EXPECT_EQ(blocked.front().direction, Direction::egress);
}

TEST(BlockedPorts, are_never_guessed) {
  const std::vector<APod> job{of_job(), of_job()};
  const auto elsewhere = policies("metadata: {name: d, namespace: web}\nspec: {podSelector: {}}\n");
  EXPECT_THAT(of(job, elsewhere).blocked(), IsEmpty());
  const auto perhaps = policies(deny +
                                "---\nmetadata: {name: b}\nspec: {podSelector: {}, ingress: "
                                "[{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}\n");
  EXPECT_THAT(of(job, perhaps).blocked(), IsEmpty());
  const auto of_a_few = policies(
      "metadata: {name: c}\nspec: {podSelector: {matchLabels: {batch.kubernetes.io/controller-uid: "
      "x}}}\n");
  EXPECT_THAT(of(job, of_a_few).blocked(), IsEmpty());
  APod on_host = of_job();
  on_host.seen.host_network = true;
  EXPECT_THAT(of({on_host, on_host}, policies(deny)).blocked(), IsEmpty());
  EXPECT_THAT(of({of_job()}, policies(deny)).blocked(), IsEmpty());  // alone so far
}

TEST(BlockedPorts, are_not_looked_for_among_too_many_policies) {
  std::string many = deny;
  for (std::size_t i = 0; i < most_policies; ++i)
    many += fmt::format("---\nmetadata: {{name: p{}}}\nspec: {{podSelector: {{}}}}\n", i);
  EXPECT_THAT(of({of_job(), of_job()}, policies(many)).blocked(), IsEmpty());
}

TEST(BlockedPorts, are_not_looked_for_among_too_many_pods_that_differ) {
  const auto by_index =
      policies(deny + "---\nmetadata: {name: i}\nspec: {podSelector: {matchLabels: {i: none}}}\n");
  const auto pods = [](std::size_t count) {
    std::vector<APod> out;
    for (std::size_t i = 0; i < count; ++i) {
      out.push_back(of_job());
      out.back().pod["metadata"]["labels"]["i"] = std::to_string(i);
    }
    return out;
  };
  EXPECT_EQ(of(pods(most_classes), by_index).blocked().size(), 1u);
  EXPECT_THAT(of(pods(most_classes + 2), by_index).blocked(), IsEmpty());
}

}  // namespace
}  // namespace tpuwh::server::network
