#include "webhook/answer/admit.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "tests/support/admitted.hpp"
#include "tests/support/full_pod.hpp"
#include "tests/support/heap_bytes.hpp"
#include "webhook/answer/workspace.hpp"
#include "webhook/read/pod.hpp"

namespace tpuwh::webhook::answer {
namespace {

using namespace test;
using test::admit;

struct Throws final : read::ClusterView {
  std::optional<std::string> ray_headless_service(std::string_view,
                                                  std::string_view) const override {
    throw 5;
  }
};

std::string ray_review() {
  return a_pod().ray("c", "g", 0, 0).on("2x4", 4).review();
}

TEST(AdmitTest, what_is_thrown_becomes_an_answer_that_admits) {
  std::string text = ray_review();
  Workspace workspace;
  const Answer answer = admit(read::Body(text), {}, Throws(), workspace);
  const json body = json::parse(answer.body);
  EXPECT_EQ(answer.http_status, 200u);
  EXPECT_EQ(body["response"]["allowed"], true);
  EXPECT_EQ(body["response"]["uid"], json::parse(text)["request"]["uid"]);
  EXPECT_EQ(answer.summary.uid, "6f1d9a3e-0000-4000-8000-000000000001");
  EXPECT_EQ(body["response"]["warnings"].size(), 1u);
  EXPECT_FALSE(body["response"].contains("patch"));
  EXPECT_EQ(answer.summary.outcome, Outcome::failed);
  EXPECT_EQ(answer.summary.reason, Reason::internal_error);
  // And the workspace is good for the next.
  std::string next = ray_review();
  EXPECT_EQ(admit(read::Body(next), {}, read::NoCluster(), workspace).summary.outcome,
            Outcome::patched);
}

// The last that is asked: the Pod's place is known by then.
struct ThrowsLate final : read::ClusterView {
  void unfit_pools(const read::PoolQuestion&, base::NameList&) const override { throw 5; }
};

TEST(AdmitTest, what_is_thrown_late_leaves_nothing_of_what_was_said_before) {
  std::string text = a_pod().job("train", 1).on("2x4", 4).env("TPU_WORKER_ID", "7").review();
  Workspace workspace;
  const Answer answer = admit(read::Body(text), {}, ThrowsLate(), workspace);
  const json said = json::parse(answer.body)["response"];
  EXPECT_EQ(answer.summary.outcome, Outcome::failed);
  EXPECT_EQ(answer.summary.ns, "default");
  EXPECT_EQ(said["warnings"].size(), 1u) << said;
  EXPECT_FALSE(said.value("auditAnnotations", json::object()).contains("slice")) << said;
  EXPECT_FALSE(said.contains("patch"));
}

// Not a byte is asked for: there may be none.
TEST(AdmitTest, without_memory_is_a_status) {
  const Answer answer = out_of_memory();
  const json body = json::parse(answer.body);
  EXPECT_EQ(answer.http_status, 500u);
  EXPECT_EQ(body["kind"], "Status");
  EXPECT_EQ(body["code"], 500);
  EXPECT_EQ(body["reason"], "InternalError");
  EXPECT_EQ(body["message"], "out of memory");
}

// The group of a worker that has its place is told of that place, and of no number of slices.
TEST(AdmitLedger, is_told_of_a_place_that_is_there) {
  std::string text = a_pod().ray("c", "g", 3, 1).on("2x4", 4).review();
  Workspace workspace;
  const Answer answer = admit(read::Body(text), {}, read::NoCluster(), workspace);
  ASSERT_EQ(answer.ledger.use, LedgerStep::Use::note);
  EXPECT_EQ(answer.ledger.request.group, "g");
  EXPECT_EQ(answer.ledger.request.size.hosts_per_slice, 2u);
  EXPECT_EQ(answer.ledger.request.size.slices, 0u);
  EXPECT_EQ(answer.ledger.place, (topology::Place{3, 1}));
}

// Its place would be written down, and nobody would have it.
TEST(AdmitLedger, is_not_asked_for_what_is_denied_once_it_has_its_place) {
  const auto asked = [](const char* group) {
    std::string text = a_pod().ray("c", group, 0, 0).without_place().on("2x4", 4).review();
    Workspace workspace;
    return admit(read::Body(text), {}, read::NoCluster(), workspace).ledger.use;
  };
  EXPECT_EQ(asked("g"), LedgerStep::Use::ask);
  EXPECT_EQ(asked("not a label"), LedgerStep::Use::none);
}

std::string with_affinity(PodBuilder pod, std::string_view affinity) {
  return pod.set("/spec/affinity", nlohmann::json::parse(affinity)).review();
}

std::string with(PodBuilder pod, std::string_view accelerator, std::string_view topology,
                 unsigned chips) {
  return pod.accelerator(accelerator).on(topology, chips).review();
}

TEST(AdmitTest, a_workspace_carries_nothing_over) {
  const PodBuilder slices =
      a_pod().jobset("s", "r", 2, 1, 0).accelerator("tpu-v6e-slice").on("4x4", 4);
  const std::string reviews[] = {
      ray_review(),
      a_pod().review(),
      a_pod().job("train", 1).on("2x4", 4).review(),
      a_pod().job("train", 9).on("2x4", 4).review(),
      "{",
      "",
      review_of(full_pod()).dump(),
      a_pod()
          .jobset("s", "r", 2, 1, 0)
          .accelerator("tpu7x")
          .on("2x2x2", 2)
          .container("b", 2)
          .review(),
      a_pod().tpu(4).review(),
      a_pod().on("2x2", 4).review(),
      slices.review(),
      with(slices, "tpu-v5-lite-podslice", "4x4", 4),
      with(slices, "tpu-v6e-slice", "2x4", 4),
      with(slices, "tpu-v6e-slice", "4x4", 8),
      with(slices, "tpu-v6e-slice", "4x4", 3),
      with(slices, "tpu9-slice", "4x4", 4),
      with(slices, "tpu-v6e-slice", "4x5", 4),
      PodBuilder(slices).container("b", 4).review(),
      PodBuilder(slices).set("/spec/subdomain", "Bad_one").review(),
      with_affinity(slices, "{}"),
      with_affinity(slices, R"({"nodeAffinity": {}})"),
      with_affinity(slices, R"({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
          {"nodeSelectorTerms": [{"matchExpressions": []}]}}})"),
      with_affinity(slices, R"({"podAffinity": {}})"),
      with_affinity(slices,
                    R"({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}})"),
      with_affinity(slices, R"({"podAntiAffinity": {}, "podAffinity": {}})"),
      with_affinity(
          slices,
          R"({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}})"),
      with_affinity(a_pod().jobset("s", "r", 2, 1, 1).accelerator("tpu-v6e-slice").on("4x4", 4),
                    R"({"podAffinity": {}})"),
      a_pod().jobset("s_", "r", 2, 1, 0).on("4x4", 4).review(),
      "[[[[",
      std::string(9u << 20, ' ')};
  config::Config other;
  other.prefix = "a.example/";
  Workspace shared;
  for (const std::string& before : reviews)
    for (const std::string& review : reviews)
      for (const config::Config& config : {config::Config(), other}) {
        std::string first = before, second = review;
        admit(read::Body(first), {}, read::NoCluster(), shared);
        const std::string again(admit(read::Body(second), config, read::NoCluster(), shared).body);
        Workspace fresh;
        EXPECT_EQ(again, admit(read::Body(second), config, read::NoCluster(), fresh).body);
      }
}

TEST(AdmitTest, a_workspace_keeps_no_more_of_a_thousand_reviews) {
  Workspace workspace;
  const std::string review =
      a_pod().jobset("s", "r", 2, 1, 1).accelerator("tpu-v6e-slice").on("4x4", 4).review();
  const auto answer = [&](int times) {
    for (int i = 0; i < times; ++i) {
      std::string text = review;
      admit(read::Body(text), {}, read::NoCluster(), workspace);
    }
  };
  answer(10);
  const std::size_t before = heap_bytes();
  answer(1000);
  EXPECT_LT(heap_bytes(), before + 4096);
}

TEST(AdmitTest, a_workspace_may_move) {
  Workspace one;
  std::string text = ray_review();
  admit(read::Body(text), {}, read::NoCluster(), one);
  Workspace two = std::move(one);
  EXPECT_EQ(admit(read::Body(text), {}, read::NoCluster(), two).summary.outcome, Outcome::patched);
}

TEST(AdmitSummary, says_who_and_what) {
  std::string text = a_pod()
                         .jobset("s", "r", 3, 2, 1)
                         .accelerator("tpu7x")
                         .on("2x2x2", 2)
                         .container("b", 2)
                         .review();
  Workspace workspace;
  const Answer answer = admit(read::Body(text), {}, read::NoCluster(), workspace);
  EXPECT_EQ(answer.summary.uid, "6f1d9a3e-0000-4000-8000-000000000001");
  EXPECT_EQ(answer.summary.ns, "default");
  EXPECT_EQ(answer.summary.owner, "JobSet/s");
  EXPECT_EQ(answer.summary.workload, "jobset");
  EXPECT_EQ(answer.summary.slice, 2u);
  EXPECT_EQ(answer.summary.worker, 2u);
  EXPECT_EQ(answer.summary.workers, 4u);
  EXPECT_EQ(answer.summary.reason, Reason::injected);
  EXPECT_FALSE(answer.summary.dry_run);
  const json body = json::parse(answer.body);
  EXPECT_EQ(answer.summary.patch_bytes,
            decode_base64(body["response"]["patch"].get<std::string>()).size());
}

// `kubectl tpu slices` reads it after each Pod.
TEST(WhatWasTold, holds_nothing_of_the_pod_before) {
  Workspace workspace;
  const decide::Told& told = workspace.impl().told;
  const auto see = [&](const PodBuilder& pod) {
    std::string text = pod.review();
    admit(read::Body(text), {}, read::NoCluster(), workspace);
  };
  see(a_pod().job("t", 1).on("2x4", 4).ours("injected", "v99;a"));
  EXPECT_NE(told.envs.begin(), told.envs.end());
  EXPECT_TRUE(told.before.foreign());
  see(a_pod());
  EXPECT_EQ(told.envs.begin(), told.envs.end());
  EXPECT_FALSE(told.before.foreign());
}

TEST(AdmitSummary, names_the_owner_of_every_workload) {
  const std::pair<PodBuilder, const char*> owners[] = {
      {a_pod().job("train", 1), "Job/train"},
      {a_pod().jobset("s", "r", 1, 0, 1), "JobSet/s"},
      {a_pod().statefulset("db", 1), "StatefulSet/db"},
      {a_pod().lws("vllm", 1, 0, 2), "LeaderWorkerSet/vllm"},
      {a_pod().ray("c", "g", 0, 1), "RayCluster/c"}};
  for (const auto& [pod, owner] : owners) {
    std::string text = PodBuilder(pod).on("2x4", 4).review();
    Workspace workspace;
    EXPECT_EQ(admit(read::Body(text), {}, read::NoCluster(), workspace).summary.owner, owner);
  }
}

// One workspace for both: what is said of the first Pod is not said of the second.
TEST(AdmitSummary, of_the_next_pod_is_its_own) {
  Workspace workspace;
  std::string one = a_pod().jobset("s", "r", 3, 2, 1).on("2x4", 4).review();
  std::string alone = a_pod().jobset("s", "r", 1, 0, 1).on("2x4", 4).review();
  std::string other = a_pod().job("train", 1).on("2x4", 4).review();
  EXPECT_EQ(admit(read::Body(one), {}, read::NoCluster(), workspace).summary.owner, "JobSet/s");
  EXPECT_EQ(admit(read::Body(alone), {}, read::NoCluster(), workspace).summary.description,
            "host 1 of 2, slice 0 of 1, JobSet s/r: 2x4 of tpu-v6e-slice, 4 chips per host");
  const auto second = admit(read::Body(other), {}, read::NoCluster(), workspace).summary;
  EXPECT_EQ(second.owner, "Job/train");
  EXPECT_EQ(second.description, "host 1 of 2, Job train: 2x4 of tpu-v6e-slice, 4 chips per host");
}

// What failurePolicy decides about says what it is, in the API server's words.
TEST(AdmitTest, what_cannot_be_answered_is_a_status_with_its_reason) {
  struct Refused {
    std::string text;
    unsigned status;
    const char* words;
    outcome::Reason reason;
  };
  for (const Refused& each :
       {Refused{"{", 400, "BadRequest", Reason::unreadable},
        Refused{std::string(9u << 20, ' '), 413, "RequestEntityTooLarge", Reason::too_large}}) {
    std::string text = each.text;
    Workspace workspace;
    const Answer answer = admit(read::Body(text), {}, read::NoCluster(), workspace);
    const json body = json::parse(answer.body);
    EXPECT_EQ(answer.http_status, each.status);
    EXPECT_EQ(body["code"], each.status);
    EXPECT_EQ(body["reason"], each.words);
    EXPECT_EQ(answer.summary.reason, each.reason);
    EXPECT_EQ(answer.summary.outcome, Outcome::unusable);
  }
}

TEST(AdmitSummary, says_whether_it_is_a_dry_run) {
  for (const bool dry_run : {true, false}) {
    json review = a_pod().job("t", 1).on("2x4", 4).review_json();
    review["request"]["dryRun"] = dry_run;
    std::string text = review.dump();
    Workspace workspace;
    EXPECT_EQ(admit(read::Body(text), {}, read::NoCluster(), workspace).summary.dry_run, dry_run);
  }
}

}  // namespace
}  // namespace tpuwh::webhook::answer
