// Ray workers that nothing tells apart, with a ledger in memory (docs/decisions/0012).
#include "webhook/ledger/ledger.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/admitted.hpp"
#include "tests/support/heap_bytes.hpp"

namespace tpuwh::webhook::ledger {
namespace {

using namespace test;

const char* const token = "tpu-webhook.dev/token";
const char* const slice_key = "tpu-webhook.dev/slice-key";

// As KubeRay makes it without RayMultiHostIndexing.
PodBuilder worker(const char* topology = "4x4", const char* group = "g") {
  return a_pod().ray("c", group, 0, 0).without_place().on(topology, 4);
}

// Every request of an API server has a uid of its own.
Admitted create(const PodBuilder& pod, Ledger& ledger, bool dry_run = false) {
  static int count = 0;
  auto review = pod.review_json();
  review["request"]["uid"] = "uid-" + std::to_string(++count);
  review["request"]["dryRun"] = dry_run;
  return admit(review.dump(), {.ledger = &ledger});
}

std::string host_name(const Admitted& answer) {
  return answer.object["spec"].value("hostname", "");
}

// Whoever watches the ledger counts as a stall what no record could have answered.
TEST(PlaceAnswers, say_whether_the_record_decided) {
  EXPECT_TRUE(no_place("full").by_record);
  EXPECT_FALSE(no_place("full").retry_now);
  EXPECT_TRUE(no_place_left({.hosts_per_slice = 2, .slices = 2}, "g").by_record);
  EXPECT_FALSE(try_again("not read", true).by_record);
  EXPECT_TRUE(try_again("not read", true).retry_now);
  EXPECT_FALSE(try_again("not read", false).retry_now);
}

TEST(RayLedger, groups_and_clusters_are_apart) {
  MemoryLedger ledger;
  EXPECT_EQ(host_name(create(worker("4x4", "a"), ledger)), "a-0-0");
  EXPECT_EQ(host_name(create(worker("4x4", "b"), ledger)), "b-0-0");
  EXPECT_EQ(host_name(create(worker("4x4", "a").owner("RayCluster", "c", "another"), ledger)),
            "a-0-0");
  EXPECT_EQ(host_name(create(worker("4x4", "a"), ledger)), "a-0-1");
}

TEST(RayLedger, a_dry_run_takes_no_place) {
  MemoryLedger ledger;
  EXPECT_EQ(host_name(create(worker(), ledger, true)), "g-0-0");
  EXPECT_EQ(host_name(create(worker(), ledger, true)), "g-0-0");
  EXPECT_EQ(host_name(create(worker(), ledger)), "g-0-0");
  EXPECT_EQ(host_name(create(worker(), ledger)), "g-0-1");
}

TEST(RayLedger, shadow_mode_takes_no_place) {
  MemoryLedger ledger;
  config::Config shadow;
  shadow.mode = config::Mode::shadow;
  for (int i = 0; i < 2; ++i) {
    const auto answer = admit(worker(), {.config = shadow, .ledger = &ledger});
    EXPECT_TRUE(has(answer.warnings, "host 0 of 4, slice 0"));
  }
  EXPECT_EQ(host_name(create(worker(), ledger)), "g-0-0");
}

// Another webhook changed the Pod after us, and the API server asks again.
TEST(RayLedger, asked_again_the_pod_keeps_its_place) {
  MemoryLedger ledger;
  create(worker(), ledger);
  const auto first = create(worker(), ledger);
  auto review = review_of(first.object);
  review["request"]["uid"] = "again";
  const auto second = admit(review.dump(), {.ledger = &ledger});
  EXPECT_EQ(second.patch, json::array());
  EXPECT_EQ(host_name(create(worker(), ledger)), "g-0-2");
}

TEST(RayLedger, another_ledger_takes_it_as_it_is) {
  MemoryLedger ledger, another;
  create(worker(), ledger);
  const auto first = create(worker(), ledger);
  const auto second = admit(review_of(first.object).dump(), {.ledger = &another});
  EXPECT_EQ(second.patch, json::array());
  EXPECT_EQ(host_name(create(worker(), another)), "g-0-0");
  EXPECT_EQ(host_name(create(worker(), another)), "g-0-2");
}

// A copy of a Pod whose place another has by now gets one of its own, with all that hangs on it.
TEST(RayLedger, a_copy_of_a_taken_place_gets_another) {
  MemoryLedger ledger, another;
  const auto first = create(worker(), ledger);
  create(worker(), another);
  const auto copy = admit(review_of(first.object).dump(), {.ledger = &another});
  EXPECT_EQ(host_name(copy), "g-0-1");
  EXPECT_EQ(effective(copy, "TPU_WORKER_ID"), "1");
  EXPECT_NE(label(copy, token), label(first, token));
  EXPECT_EQ(label(copy, slice_key), label(first, slice_key));
}

TEST(RayLedger, no_place_beyond_the_slices_of_the_job) {
  MemoryLedger ledger;
  const auto pod = worker("2x4").env("MEGASCALE_NUM_SLICES", "2");
  for (const char* name : {"g-0-0", "g-0-1", "g-1-0", "g-1-1"})
    EXPECT_EQ(host_name(create(pod, ledger)), name);
  const auto fifth = create(pod, ledger);
  EXPECT_EQ(fifth.status, 503u);
  EXPECT_EQ(fifth.outcome, Outcome::deferred);
  EXPECT_TRUE(has(fifth.message, "all 4 places of worker group g of RayCluster c are taken"));
}

struct OneGroup final : read::ClusterView {
  read::RayGroup group;
  std::optional<read::RayGroup> ray_group(std::string_view ns, std::string_view cluster,
                                          std::string_view name) const override {
    const bool asked = ns == "default" && cluster == "c" && name == "g";
    return asked ? std::optional(group) : std::nullopt;
  }
};

TEST(RayLedger, no_place_beyond_the_clusters_size) {
  MemoryLedger ledger;
  OneGroup cluster;
  cluster.group = {.hosts = 2, .slices = 1};
  const Around around{.cluster = &cluster, .ledger = &ledger};
  EXPECT_EQ(host_name(admit(worker("2x4"), around)), "g-0-0");
  EXPECT_EQ(host_name(admit(worker("2x4").set("/metadata/name", "b"), around)), "g-0-1");
  EXPECT_EQ(admit(worker("2x4"), around).status, 503u);
  const auto misfit = admit(worker("4x4"), around);
  EXPECT_EQ(misfit.reason, Reason::inconsistent);
  EXPECT_TRUE(has(misfit.warnings, "has numOfHosts 2, but 4x4 with 4 chips per Pod has 4 hosts"));
}

TEST(RayLedger, pods_with_index_labels_count_as_taken) {
  MemoryLedger ledger;
  create(a_pod().ray("c", "g", 0, 0).on("4x4", 4), ledger);
  create(a_pod().ray("c", "g", 0, 2).on("4x4", 4), ledger);
  EXPECT_EQ(host_name(create(worker(), ledger)), "g-0-1");
  EXPECT_EQ(host_name(create(worker(), ledger)), "g-0-3");
}

TEST(RayLedger, slices_of_another_size_are_not_mixed) {
  MemoryLedger ledger;
  create(worker("4x4"), ledger);
  const auto other = create(worker("2x4"), ledger);
  EXPECT_EQ(other.reason, Reason::no_identity);
  EXPECT_TRUE(has(other.warnings, "slices of 4 hosts, but this Pod is of a slice of 2"));
}

TEST(RayLedger, single_hosts_get_a_name_each) {
  MemoryLedger ledger;
  EXPECT_EQ(effective(create(worker("2x2"), ledger), "TPU_NAME"), "g-0");
  const auto second = create(worker("2x2"), ledger);
  EXPECT_EQ(effective(second, "TPU_NAME"), "g-1");
  EXPECT_EQ(effective(second, "TPU_WORKER_ID"), "0");
}

// Two slices of one host that form one job: the coordinator has to have a name.
TEST(RayLedger, single_hosts_of_one_job_have_names) {
  MemoryLedger ledger;
  const auto pod = worker("2x2").env("MEGASCALE_NUM_SLICES", "2");
  create(pod, ledger);
  const auto second = create(pod, ledger);
  EXPECT_EQ(host_name(second), "g-1-0");
  EXPECT_EQ(effective(second, "MEGASCALE_SLICE_ID"), "1");
  EXPECT_EQ(effective(second, "MEGASCALE_COORDINATOR_ADDRESS"), "g-0-0.c-headless");
}

TEST(RayLedger, without_one_nothing_is_guessed) {
  NoLedger none("no ledger here");
  const auto answer = create(worker(), none);
  EXPECT_EQ(answer.patch, json::array());
  EXPECT_EQ(answer.reason, Reason::no_identity);
  EXPECT_TRUE(has(answer.warnings, "no ledger here; nothing was injected"));
}

// What was noted of a Pod is what its author wrote.
TEST(RayLedger, gives_no_place_beyond_the_slices) {
  MemoryLedger ledger;
  PlaceRequest request{.ns = "d", .cluster = "c", .group = "g", .size = {4, 0}, .review_uid = "u"};
  const std::string made_up = "0-4294967295-00000000000000aa";
  request.token = made_up;
  ledger.note(request, {0, 4294967295u});
  EXPECT_EQ(ledger.place(request).place, (topology::Place{0, 0}));
  request.token = "0-7-00000000000000aa";
  ledger.note(request, {0, 7});
  EXPECT_EQ(ledger.place(request).place, (topology::Place{0, 1}));
}

struct LyingLedger final : Ledger {
  std::uint32_t host = 4294967295u;
  PlaceAnswer place(const PlaceRequest&) override {
    return given_place({0, host}, "0-4294967295-00000000000000aa");
  }
  void note(const PlaceRequest&, topology::Place) override {}
};

// Of a list of the user's own each process looks up its entry: host 4,294,967,295 of sixteen
// processes once took 5.8 s, and its worker id was 4,294,967,280.
TEST(RayLedger, a_word_beyond_the_slice_is_not_taken) {
  LyingLedger lying;
  std::string addresses = "a";
  for (int i = 1; i < 64; ++i) addresses += ",a";
  auto pod = worker("4x4x4").accelerator("tpu7x").tpu(1).env("TPU_PROCESS_ADDRESSES", addresses);
  for (const char* name : {"b", "c", "d"})
    pod.container(name, 1).env("TPU_PROCESS_ADDRESSES", addresses);
  const auto answer = create(pod, lying);
  EXPECT_EQ(answer.patch, json::array());
  EXPECT_EQ(answer.reason, Reason::no_identity) << answer.body;
  EXPECT_TRUE(has(answer.warnings, "its place is host 4294967295 of a slice, and 4x4x4"));
  lying.host = 16;
  EXPECT_EQ(create(pod, lying).reason, Reason::no_identity);
  lying.host = 15;
  EXPECT_EQ(create(pod, lying).outcome, Outcome::patched);
}

// 100 dry runs with an owner's uid of 1.5 MB left 146 MiB behind.
TEST(RayLedger, keeps_nothing_of_whom_it_gives_nothing) {
  MemoryLedger ledger;
  const std::size_t before = heap_bytes();
  for (int i = 0; i < 64; ++i) {
    const std::string uid = std::string(1u << 20, 'x') + std::to_string(i);
    PlaceRequest request{.ns = "d",
                         .cluster = "c",
                         .cluster_uid = uid,
                         .group = "g",
                         .size = {1, 1},
                         .review_uid = "u",
                         .dry_run = true};
    EXPECT_EQ(ledger.place(request).kind, PlaceAnswer::Kind::given);
    request.dry_run = false;
    ledger.note(request, {0, 0});
  }
  EXPECT_LT(heap_bytes(), before + (4u << 20));
}

TEST(RayLedger, gives_no_more_than_it_can_remember) {
  MemoryLedger ledger;
  PlaceRequest request{.ns = "d", .cluster = "c", .group = "g", .size = {1, 0}, .review_uid = "u"};
  // Filled in descending order of cost: noting is cheap where the group is new.
  std::string group;
  for (std::size_t i = 0; i + 1 < MemoryLedger::max_members; ++i) {
    group = std::to_string(i);
    request.group = group;
    ledger.note(request, {0, 0});
  }
  request.group = "g";
  EXPECT_EQ(ledger.place(request).kind, PlaceAnswer::Kind::given) << "the last";
  EXPECT_EQ(ledger.place(request).kind, PlaceAnswer::Kind::try_again);
  request.token = "0-7-00000000000000aa";
  ledger.note(request, {0, 7});
  EXPECT_EQ(ledger.place(request).kind, PlaceAnswer::Kind::try_again) << "nothing was noted";
}

TEST(RayLedger, notes_no_group_of_longer_names_than_it_keeps) {
  const auto next_after_noting = [](std::size_t length) {
    const std::string group(length - 4 - 2, 'g');  // four ends of names, and those of two letters
    MemoryLedger ledger;
    const PlaceRequest request{
        .ns = "d", .cluster = "c", .group = group, .size = {4, 0}, .review_uid = "u"};
    ledger.note(request, {0, 0});
    return ledger.place(request).place;
  };
  EXPECT_EQ(next_after_noting(512), (topology::Place{0, 1}));
  EXPECT_EQ(next_after_noting(513), (topology::Place{0, 0}));
}

}  // namespace
}  // namespace tpuwh::webhook::ledger
