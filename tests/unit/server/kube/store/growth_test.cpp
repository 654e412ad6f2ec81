// What a question costs does not depend on what is stored: each kind of question, beside the least
// and beside the largest objects that a namespace's user may store. Reviews multiply it by their
// uses.
#include "server/kube/store/store.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <time.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "webhook/read/body.hpp"

namespace tpuwh::server::kube::store {
namespace {

using Json = nlohmann::json;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds_of(const std::function<void()>& work) {
  double least = 1e9;
  for (int tries = 0; tries < 3; ++tries) {
    const double begin = cpu_seconds();
    work();
    least = std::min(least, cpu_seconds() - begin);
  }
  return least;
}

void put(Store& store, Kind kind, const Json& object) {
  std::string text = object.dump();
  store.upsert(kind, webhook::read::Body(text).bytes());
}

// Of so many requests with eight alternatives each.
void put_template(Store& store, std::size_t requests) {
  const Json one = {{"deviceClassName", "ours"}, {"count", 4}};
  Json all = Json::array();
  for (std::size_t i = 0; i < requests; ++i)
    all.push_back({{"firstAvailable", Json::array({one, one, one, one, one, one, one, one})}});
  put(store, Kind::claim_template,
      {{"metadata", {{"name", "t"}, {"namespace", "ns"}}},
       {"spec", {{"spec", {{"devices", {{"requests", all}}}}}}}});
}

void put_services(Store& store, std::size_t number, const std::string& cluster) {
  for (std::size_t i = 0; i < number; ++i)
    put(store, Kind::service,
        {{"metadata",
          {{"name", "a" + std::to_string(i)},
           {"namespace", "ns"},
           {"labels", {{"ray.io/headless-worker-svc", cluster}}}}},
         {"spec", {{"clusterIP", "None"}}}});
}

// Leaders of one Job; all that are not the first one are being deleted.
void put_leaders(Store& store, std::size_t number) {
  const char* label = "jobset.sigs.k8s.io/";
  for (std::size_t i = 0; i < number; ++i) {
    Json metadata = {{"name", "l"}, {"namespace", "ns"}, {"uid", std::to_string(i)}};
    for (const auto& [key, value] : {std::pair("jobset-name", "s"),
                                     {"replicatedjob-name", "r"},
                                     {"job-index", "1"},
                                     {"job-key", "k"}})
      metadata["labels"][std::string(label) + key] = value;
    metadata["labels"]["batch.kubernetes.io/job-completion-index"] = "0";
    metadata["annotations"] = {{"alpha.jobset.sigs.k8s.io/exclusive-topology", "k"},
                               {"batch.kubernetes.io/job-completion-index", "0"}};
    metadata["ownerReferences"] = {
        {{"kind", "Job"}, {"name", "s-r-1"}, {"uid", "u"}, {"controller", true}}};
    if (i > 0) metadata["deletionTimestamp"] = "2026-11-29T00:00:00Z";
    const Json chips = {{"limits", {{"google.com/tpu", 4}}}};
    put(store, Kind::pod,
        {{"metadata", metadata},
         {"spec", {{"nodeName", "n"}, {"containers", {{{"name", "c"}, {"resources", chips}}}}}}});
  }
}

struct Growing {
  std::string name;
  std::function<void(Store&)> least, largest;
  std::function<void(const Store&)> ask;
};

const webhook::read::ClaimSource the_template{"ns", "t", true};
void ask_template(const Store& store) {
  (void)store.claimed(the_template);
}
void ask_service(const Store& store) {
  (void)store.ray_headless_service("ns", "c");
}

std::vector<Growing> growing() {
  return {
      {"chips of a template of 32 requests with eight alternatives each",
       [](Store& store) { put_template(store, 1); }, [](Store& store) { put_template(store, 32); },
       ask_template},
      {"the Service of a RayCluster beside 10,000 of another one",
       [](Store& store) { put_services(store, 1, "c"); },
       [](Store& store) { put_services(store, 10'000, "another"); }, ask_service},
      {"the Service of a RayCluster that 10,000 say to be of",
       [](Store& store) { put_services(store, 1, "c"); },
       [](Store& store) { put_services(store, 10'000, "c"); }, ask_service},
      {"the leader of a Job of which 10,000 are being deleted",
       [](Store& store) { put_leaders(store, 1); },
       [](Store& store) { put_leaders(store, 10'000); },
       [](const Store& store) {
         (void)store.leader_domain({"ns", "s", "r", "1", "u"}, "cloud.google.com/gke-nodepool");
       }},
  };
}

TEST(TheCostOfAQuestion, does_not_depend_on_what_is_stored) {
  constexpr int questions = 2000;
  constexpr double noise = 0.002;
  for (const Growing& each : growing()) {
    Store beside_least{"tpu-webhook.dev/"}, beside_largest{"tpu-webhook.dev/"};
    each.least(beside_least);
    each.largest(beside_largest);
    const auto ask = [&](const Store& store) {
      return seconds_of([&] {
        for (int i = 0; i < questions; ++i) each.ask(store);
      });
    };
    EXPECT_LT(ask(beside_largest), 4 * ask(beside_least) + noise) << each.name;
  }
}

// A device class that changes makes each template be understood once more, and not for each use.
TEST(TheCostOfAQuestion, does_not_depend_on_changes_of_device_classes_long_ago) {
  Store store{"tpu-webhook.dev/"};
  put_template(store, 32);
  put(store, Kind::device_class, {{"metadata", {{"name", "ours"}}}, {"spec", Json::object()}});
  const double first = seconds_of([&] {
    put(store, Kind::device_class, {{"metadata", {{"name", "ours"}}}, {"spec", Json::object()}});
    ask_template(store);
  });
  const double others = seconds_of([&] {
    for (int i = 0; i < 100; ++i) ask_template(store);
  });
  EXPECT_LT(others, 20 * first + 0.001);
}

// Each list of the store by itself: four times as many objects take no more than in proportion.
TEST(TheCostOfStoring, is_in_proportion_to_the_objects) {
  using Fill = std::function<void(Store&, std::size_t)>;
  const std::pair<const char*, Fill> fills[] = {
      {"Services", [](Store& store, std::size_t number) { put_services(store, number, "c"); }},
      {"leaders", [](Store& store, std::size_t number) { put_leaders(store, number); }},
  };
  for (const auto& [name, fill] : fills) {
    const auto seconds = [&fill = fill](std::size_t number) {
      return seconds_of([&] {
        Store store{"tpu-webhook.dev/"};
        for (int twice = 0; twice < 2; ++twice) {  // the second brings each again
          store.begin_relist(Kind::service);
          store.begin_relist(Kind::pod);
          fill(store, number);
          store.end_relist(Kind::service);
          store.end_relist(Kind::pod);
        }
      });
    };
    EXPECT_LT(seconds(4000), 8 * seconds(1000) + 0.005) << name;
  }
}

}  // namespace
}  // namespace tpuwh::server::kube::store
