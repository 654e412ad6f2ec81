// A workspace is kept from review to review, and a body is gone after its answer: every kind of
// review after every other, at each path, each body in a mapping of its own that is taken away once
// it was answered. Whoever still looks into it ends this program, whatever it is compiled with.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/own_mapping.hpp"
#include "tests/support/pod_builder.hpp"
#include "tests/support/validated.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/validate/validate.hpp"

namespace tpuwh::webhook::answer {
namespace {

using namespace test;

json with_claim(json pod, std::string_view claim_template = "four-chips") {
  pod["spec"]["resourceClaims"] =
      json::array({{{"name", "chips"}, {"resourceClaimTemplateName", claim_template}}});
  pod["spec"]["containers"][0]["resources"]["claims"] = json::array({{{"name", "chips"}}});
  return pod;
}

json large(json pod) {
  pod["metadata"]["annotations"]["long"] = std::string(100'000, 'x');
  return pod;
}

json changed(json review, std::string_view pointer, const json& value) {
  review[json::json_pointer(std::string(pointer))] = value;
  return review;
}

json a_template_with_claim() {
  return with_claim(a_template("4x4", 4));
}

json a_template_with_unknown_claim() {
  return with_claim(a_template("4x4", 0), "nobody-knows");
}

std::vector<std::string> all_reviews() {
  const json job = a_pod().job("train", 1).on("4x4", 4).pod();
  const json creation = review_of(job);
  const json service = {{"group", ""}, {"version", "v1"}, {"kind", "Service"}};
  std::vector<json> reviews{
      creation,
      review_of(with_claim(job)),
      review_of(large(with_claim(job))),
      review_of(with_claim(a_pod().pod())),
      review_of(with_claim(a_pod().pod(), "nobody-knows")),
      review_of(a_pod().pod()),
      a_pod().on("2x2", 4).review_json(),
      a_pod().job("train", 1).on("4x4", "four").review_json(),
      a_pod().job("train", 1).on("3x3", 4).review_json(),
      a_pod().jobset("js", "workers", 2, 1, 3).on("4x4", 4).review_json(),
      a_pod().lws("llm", 0, 1, 4).on("4x4", 4).review_json(),
      a_pod().statefulset("sts", 2).on("4x4", 4).review_json(),
      a_pod().ray("rc", "workers", 1, 2).on("4x4", 4).review_json(),
      a_pod()
          .label("ray.io/node-type", "worker")
          .label("ray.io/cluster", "rc")
          .label("ray.io/group", "workers")
          .owner("RayCluster", "rc", "uid-of-rc")
          .on("4x4", 4)
          .review_json(),
      a_pod()
          .job("train", 1)
          .topology("4x4")
          .ours("injected", "v1;00000000;c:TPU_WORKER_ID=00000000")
          .tpu(4)
          .env("TPU_WORKER_ID", "0")
          .env("TPU_PROCESS_ADDRESSES", "localhost")
          .review_json(),
      a_pod()
          .owner("Mine", "m", "u")
          .ours("worker-id", "1")
          .ours("worker-count", "4")
          .ours("hostnames", "a,b,c,d")
          .on("4x4", 4)
          .review_json(),
      changed(creation, "/request/operation", "DELETE"),
      changed(creation, "/request/operation", "UPDATE"),
      changed(creation, "/request/subResource", "binding"),
      changed(creation, "/request/kind", service),
      changed(creation, "/request/object", nullptr),
      changed(creation, "/request/object/spec/containers/0/name", 7),
      changed(creation, "/request/uid", ""),
      review_of_object(a_job({{"completions", 4}}, a_template_with_claim())),
      review_of_object(a_job({{"completions", 4}}, a_template_with_unknown_claim())),
      review_of_object(a_jobset(
          json::array({a_replicated_job("w", {{"completions", 3}}, a_template_with_claim())}))),
      review_of_object(
          a_ray_cluster(json::array({a_group("workers", 2, large(a_template_with_claim()))}))),
      review_of_object(
          a_ray_cluster(json::array({a_group("w", 2, a_template("4x4", 4))})),
          {.operation = "UPDATE",
           .old_object = a_ray_cluster(json::array({a_group("w", 3, a_template("4x4", 4))}))}),
      review_of_object(an_lws({{"size", 4}, {"workerTemplate", a_template("4x4", 4)}})),
  };
  std::vector<std::string> texts;
  for (const json& review : reviews) texts.push_back(review.dump());
  texts.push_back("");
  texts.push_back("{\"kind\":");
  return texts;
}

// What a cluster would say: the template's chips.
struct Cluster final : read::ClusterView {
  read::Claimed claimed(const read::ClaimSource& source) const override {
    using Known = read::Claimed::Known;
    if (source.name == "four-chips") return {.known = Known::chips, .chips = 4};
    if (source.name == "unread") return {.known = Known::unread};
    return {};
  }
};

enum class Path { mutate, mutate_with_place, shadow, validate };
constexpr Path all_paths[] = {Path::mutate, Path::mutate_with_place, Path::shadow, Path::validate};

// All that is said of a review, while its body is there.
std::string said(const std::string& review, Path path, Workspace& workspace) {
  static const Cluster cluster;
  static const config::Config enforce;
  static const config::Config shadow = [] {
    config::Config config;
    config.mode = config::Mode::shadow;
    return config;
  }();
  const ledger::PlaceAnswer place{
      .kind = ledger::PlaceAnswer::Kind::given, .place = {0, 1}, .token = "0-1-0123456789abcdef"};
  const OwnMapping mapped(review, read::padding);
  const read::Body body = read::Body::padded(mapped.text());
  const Answer answer = path == Path::validate
                            ? validate::validate(body, enforce, cluster, workspace)
                            : admit(body, path == Path::shadow ? shadow : enforce, cluster,
                                    workspace, path == Path::mutate_with_place ? &place : nullptr);
  const outcome::Summary& sum = answer.summary;
  std::string all(answer.body);
  for (const std::string_view part : {sum.uid, sum.ns, sum.workload, sum.owner, sum.description,
                                      answer.ledger.request.cluster, answer.ledger.request.group})
    all.append("\n").append(part);
  return all;
}

TEST(AWorkspace, holds_nothing_of_a_body_that_is_gone) {
  const std::vector<std::string> reviews = all_reviews();
  struct Asked {
    const std::string* review;
    Path path;
    std::string alone;  // the answer of a workspace that has seen nothing
  };
  std::vector<Asked> asked;
  for (const std::string& review : reviews)
    for (const Path path : all_paths) {
      Workspace fresh;
      asked.push_back({&review, path, said(review, path, fresh)});
    }
  Workspace kept;
  for (const Asked& first : asked)
    for (const Asked& second : asked) {
      said(*first.review, first.path, kept);
      ASSERT_EQ(said(*second.review, second.path, kept), second.alone)
          << first.review->substr(0, 300) << "\nthen " << second.review->substr(0, 300);
    }
}

}  // namespace
}  // namespace tpuwh::webhook::answer
