// What an answer says of its Pod, against what is read of the Pod once it is in a cluster: where
// the two differ.
#include "kubectl/inspect/slices/pod_reader.hpp"
#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/review/input.hpp"
#include "kubectl/review/outcome.hpp"
#include "kubectl/review/reviewer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tpuwh::server::slices {
namespace {

using Json = nlohmann::ordered_json;

// All of it, a line for each field that a decision gives.
std::string written(const SeenPod& pod) {
  std::string out = fmt::format(
      "{}/{} {} {}\nworkload {} {} {} {}\nslice {} job {} placement {}\n{} {} by others {}\nterms "
      "{} {} {}\n"
      "hosts {} processes {} chips {} claim {}\nhost {} slice {} of {}\nnot placed: {}\nimpossible "
      "{} shares: {}\n"
      "left alone: {}\n",
      pod.ns, pod.name, pod.hostname, pod.subdomain, static_cast<int>(pod.workload), pod.kind,
      pod.group, pod.part, pod.slice_key, pod.job_key, pod.placement_key, pod.accelerator,
      pod.topology, pod.placed_by_others, static_cast<int>(pod.terms), pod.domain_key, pod.domain,
      pod.hosts, pod.processes_per_host, pod.chips, pod.by_claim,
      pod.host ? std::to_string(*pod.host) : "-", pod.slice ? std::to_string(*pod.slice) : "-",
      pod.slice_count, pod.not_placed, pod.impossible, pod.shares_node, pod.left_alone);
  for (const TpuProcess& process : pod.processes)
    for (std::size_t i = 0; i < process.env.size(); ++i)
      if (const EnvValue& value = process.env[i]; !value.absent())
        out += fmt::format("{} {}={} {}{}\n", process.container, i, static_cast<int>(value.kind),
                           value.text, value.ours ? " ours" : "");
  return out;
}

// Says of each Pod of a manifest what the two say of it.
struct Both {
  std::string name;
  std::optional<SeenPod> in_answer, in_cluster;
};

std::vector<Both> both_of(const std::vector<Json>& objects, const webhook::config::Config& config) {
  review::Reviewer reviewer(config);
  PodReader reader(config, reviewer.cluster());
  review::ReplyReader replies;
  std::vector<Both> out;
  std::size_t number = 0;
  for (const Json& object : objects) reviewer.cluster().add(object);
  for (const Json& object : objects) {
    if (!expand::makes_pods(object)) continue;
    static_cast<void>(expand::for_each_pod(object, {.ns = "default"}, [&](const Json& pod) {
      std::string review = review::review_of_creation(pod, pod.dump(), "default", ++number);
      const auto answer = reviewer.answer(review);
      const review::Reply reply = replies.read(answer);
      if (reply.verdict != review::Verdict::allowed) return true;
      Json after = pod;
      reply.apply(after);
      auto in_answer = seen_in_answer(answer, after, config.prefix);
      auto in_cluster = reader.read(after);
      out.push_back({pod.value("/metadata/name"_json_pointer, std::string("?")),
                     std::move(in_answer), in_cluster ? *in_cluster : std::nullopt});
      return true;
    }));
  }
  return out;
}

std::vector<Json> objects_of(const std::filesystem::path& file) {
  std::istringstream none;
  const auto read = source::read_manifests({file.string()}, none);
  std::vector<Json> out;
  if (read)
    for (const source::Manifest& each : *read) out.push_back(each.object);
  return out;
}

TEST(SeenInAnswerTest, is_what_is_read_of_the_pod_in_a_cluster) {
  std::size_t pods = 0, told = 0;
  for (const char* folder : {TPUWH_TESTS "/golden/explain", TPUWH_TESTS "/e2e/manifests"})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".yaml") continue;
      for (const Both& each : both_of(objects_of(entry.path()), {})) {
        ++pods;
        if (!each.in_answer) continue;
        ++told;
        ASSERT_TRUE(each.in_cluster) << entry.path();
        EXPECT_EQ(written(*each.in_answer), written(*each.in_cluster))
            << entry.path() << " " << each.name;
      }
    }
  EXPECT_GT(told, 200u);
  EXPECT_GT(told, pods * 8 / 10);
}

Json a_job(const Json& annotations) {
  Json job = Json::parse(
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"t","namespace":"default"},
    "spec":{"completions":2,"parallelism":2,"completionMode":"Indexed","template":{"metadata":{},"spec":{
    "restartPolicy":"Never","subdomain":"s","nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice",
    "cloud.google.com/gke-tpu-topology":"2x4"},"containers":[{"name":"c","image":"i","resources":{"limits":
    {"google.com/tpu":"4"}}}]}}}})");
  job["spec"]["template"]["metadata"]["annotations"] = annotations;
  return job;
}

// Where the Pod is read in their place: what the webhook did with it is not what it is.
TEST(SeenInAnswerTest, does_not_say_it_of_pods_that_are_left_alone) {
  webhook::config::Config shadow, others;
  shadow.mode = webhook::config::Mode::shadow;
  others.workloads = {};
  struct LeftAlone {
    const char* name;
    Json annotations;
    webhook::config::Config config;
  };
  for (const LeftAlone& each :
       {LeftAlone{"opted out", {{"tpu-webhook.dev/inject", "false"}}, {}},
        LeftAlone{"not checked", {{"cloud.google.com/skip-tpu-webhook-check", "true"}}, {}},
        LeftAlone{"shadow", Json::object(), shadow},
        LeftAlone{"of an API that is off", Json::object(), others}}) {
    const auto pods = both_of({a_job(each.annotations)}, each.config);
    ASSERT_EQ(pods.size(), 2u) << each.name;
    for (const Both& pod : pods) {
      EXPECT_FALSE(pod.in_answer) << each.name;
      ASSERT_TRUE(pod.in_cluster) << each.name;
      EXPECT_EQ(pod.in_cluster->hosts, 2u) << each.name;
    }
  }
}

}  // namespace
}  // namespace tpuwh::server::slices
