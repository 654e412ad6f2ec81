// Every member of a slice, and every slice of a job, side by side: what readers of
// the environment rely on (tests/invariants/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/support/named_case.hpp"

namespace tpuwh::webhook::answer {
namespace {

using namespace test;
using test::admit;
using test::PrintTo;

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

struct Job {
  std::string_view name;
  std::function<PodBuilder(std::uint32_t slice, std::uint32_t host)> member;
  std::uint32_t slices;
  std::uint32_t hosts;
  std::uint32_t containers;
  bool one_job;  // of all slices
  bool ray = false;
};

class Members : public testing::TestWithParam<Job> {
 protected:
  void SetUp() override {
    for (std::uint32_t slice = 0; slice < GetParam().slices; ++slice)
      for (std::uint32_t host = 0; host < GetParam().hosts; ++host) {
        answers_.push_back(admit(GetParam().member(slice, host)));
        ASSERT_EQ(answers_.back().outcome, Outcome::patched) << answers_.back().message;
      }
  }
  const Admitted& at(std::uint32_t slice, std::uint32_t host) const {
    return answers_.at(slice * GetParam().hosts + host);
  }
  std::string name_of(std::uint32_t slice, std::uint32_t host) const {
    const json& spec = at(slice, host).object["spec"];
    return spec["hostname"].get<std::string>() + "." + spec["subdomain"].get<std::string>();
  }
  // Calls f(slice, host, container, that container's environment).
  void each(const std::function<void(std::uint32_t, std::uint32_t, std::uint32_t,
                                     const std::function<std::string(const char*)>&)>& f) const {
    for (std::uint32_t slice = 0; slice < GetParam().slices; ++slice)
      for (std::uint32_t host = 0; host < GetParam().hosts; ++host)
        for (std::uint32_t c = 0; c < GetParam().containers; ++c)
          f(slice, host, c, [&](const char* name) { return effective(at(slice, host), name, c); });
  }

  std::vector<Admitted> answers_;
};

PodBuilder filled(PodBuilder pod, const char* accelerator, const char* topology, int chips,
                  std::uint32_t containers) {
  pod.accelerator(accelerator).on(topology, chips);
  for (std::uint32_t i = 1; i < containers; ++i) pod.container("c" + std::to_string(i), chips);
  return pod;
}

TEST_P(Members, ids_are_each_given_once_and_index_the_lists) {
  const Job& job = GetParam();
  std::vector<std::set<std::string>> ids(job.slices), ports(job.slices);
  each([&](auto slice, auto host, auto c, const auto& env) {
    const std::string id = std::to_string(host * job.containers + c);
    EXPECT_EQ(env("TPU_WORKER_ID"), id);
    EXPECT_TRUE(ids[slice].insert(id).second);
    const auto names = split(env("TPU_WORKER_HOSTNAMES"));
    EXPECT_EQ(names.size(), job.hosts * (job.ray ? 1 : job.containers));
    EXPECT_EQ(names.at(job.ray ? host : host * job.containers + c), name_of(slice, host));
    EXPECT_EQ(env("TPU_WORKER_HOSTNAMES"), effective(at(slice, 0), "TPU_WORKER_HOSTNAMES"));
    for (const std::string& name : names) EXPECT_EQ(name.find_first_of(": \""), std::string::npos);
    if (env("TPU_PROCESS_ADDRESSES") == "(absent)") return;
    const auto addresses = split(env("TPU_PROCESS_ADDRESSES"));
    EXPECT_EQ(addresses.size(), job.hosts * job.containers);
    EXPECT_EQ(addresses.at(host * job.containers + c),
              name_of(slice, host) + ":" + env("TPU_PROCESS_PORT"));
    EXPECT_EQ(env("TPU_PROCESS_ADDRESSES"), effective(at(slice, 0), "TPU_PROCESS_ADDRESSES"));
  });
  for (const auto& slice : ids) EXPECT_EQ(slice.size(), job.hosts * job.containers);
}

TEST_P(Members, addresses_are_for_ironwood_alone) {
  each([&](auto, auto, auto, const auto& env) {
    const bool ironwood = std::string_view(GetParam().name).starts_with("ironwood");
    EXPECT_EQ(env("TPU_PROCESS_ADDRESSES") != "(absent)", ironwood);
    EXPECT_EQ(env("TPU_PROCESS_PORT") != "(absent)", ironwood);
    EXPECT_EQ(env("CLOUD_TPU_TASK_ID"), "(absent)");
    EXPECT_EQ(env("TPU_PROCESS_BOUNDS"), "(absent)");
  });
}

TEST_P(Members, ports_of_a_pod_are_distinct) {
  for (const char* variable : {"TPU_PROCESS_PORT", "MEGASCALE_PORT"})
    for (const Admitted& answer : answers_) {
      std::multiset<std::string> seen;
      for (std::uint32_t c = 0; c < GetParam().containers; ++c) {
        const std::string port = effective(answer, variable, c);
        EXPECT_TRUE(port == "(absent)" || !seen.contains(port)) << variable;
        seen.insert(port);
      }
    }
}

TEST_P(Members, slices_of_one_job_share_a_coordinator_that_exists) {
  const Job& job = GetParam();
  std::set<std::string> coordinators, ids, counts;
  each([&](auto slice, auto, auto c, const auto& env) {
    if (!job.one_job) {
      for (const char* variable : {"MEGASCALE_NUM_SLICES", "MEGASCALE_SLICE_ID",
                                   "MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_PORT"})
        EXPECT_EQ(env(variable), "(absent)") << variable;
      return;
    }
    EXPECT_EQ(env("MEGASCALE_SLICE_ID"), std::to_string(slice));
    EXPECT_EQ(env("MEGASCALE_PORT"), effective(at(0, 0), "MEGASCALE_PORT", c));
    coordinators.insert(env("MEGASCALE_COORDINATOR_ADDRESS"));
    counts.insert(env("MEGASCALE_NUM_SLICES"));
  });
  if (!job.one_job) return;
  EXPECT_EQ(counts, std::set<std::string>{std::to_string(job.slices)});
  ASSERT_EQ(coordinators.size(), 1u);
  const std::string coordinator = *coordinators.begin();
  EXPECT_EQ(coordinator.substr(0, coordinator.find(':')), name_of(0, 0));
  if (const auto colon = coordinator.find(':'); colon != std::string::npos) {
    EXPECT_EQ(coordinator.substr(colon + 1), effective(at(0, 0), "MEGASCALE_PORT", 0));
  }
}

TEST_P(Members, keys_are_of_the_slice) {
  std::set<std::string> keys, names;
  for (std::uint32_t slice = 0; slice < GetParam().slices; ++slice) {
    const std::string key = label(at(slice, 0), "tpu-webhook.dev/slice-key");
    EXPECT_TRUE(keys.insert(key).second);
    for (std::uint32_t host = 0; host < GetParam().hosts; ++host) {
      EXPECT_EQ(label(at(slice, host), "tpu-webhook.dev/slice-key"), key);
      EXPECT_TRUE(names.insert(name_of(slice, host)).second);
      const std::string tpu_name = effective(at(slice, host), "TPU_NAME");
      EXPECT_EQ(tpu_name, GetParam().ray ? "g-" + std::to_string(slice) : "(absent)");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Slices, Members,
    testing::Values(
        Job{"job",
            [](auto, auto host) {
              return filled(a_pod().job("train", host), "tpu-v6e-slice", "4x4", 4, 1);
            },
            1, 4, 1, false},
        Job{"jobset",
            [](auto slice, auto host) {
              return filled(a_pod().jobset("a-b", "c", 3, slice, host), "tpu-v6e-slice", "2x4", 4,
                            1);
            },
            3, 2, 1, true},
        Job{"jobset_large",
            [](auto slice, auto host) {
              return filled(a_pod().jobset("s", "r", 11, slice, host), "tpu-v5p-slice", "2x4x4", 4,
                            1);
            },
            11, 8, 1, true},
        Job{"ironwood",
            [](auto, auto host) {
              return filled(a_pod().job("train", host), "tpu7x", "2x2x4", 4, 1);
            },
            1, 4, 1, false},
        Job{"ironwood_two",
            [](auto slice, auto host) {
              return filled(a_pod().jobset("s", "r", 2, slice, host), "tpu7x", "2x2x4", 2, 2);
            },
            2, 4, 2, true},
        Job{"ironwood_four",
            [](auto slice, auto host) {
              return filled(a_pod().jobset("s", "r", 2, slice, host), "tpu7", "2x2x2", 1, 4);
            },
            2, 2, 4, true},
        Job{"ray",
            [](auto slice, auto host) {
              return filled(a_pod().ray("c", "g", slice, host), "tpu-v6e-slice", "4x4", 4, 1);
            },
            2, 4, 1, false, true},
        Job{"ray_slices",
            [](auto slice, auto host) {
              return filled(a_pod().ray("c", "g", slice, host).env("MEGASCALE_NUM_SLICES", "2"),
                            "tpu-v6e-slice", "4x4", 4, 1);
            },
            2, 4, 1, true, true},
        Job{"ironwood_ray_two",
            [](auto slice, auto host) {
              return filled(a_pod().ray("c", "g", slice, host), "tpu7x", "2x2x2", 2, 2);
            },
            2, 2, 2, false, true}),
    case_name);

// Two processes would have one port, and the device plugin gives all chips to one container or
// none.
TEST(TwoContainers, before_ironwood_get_nothing_and_a_warning) {
  const auto answer = admit(filled(a_pod().job("train", 1), "tpu-v6e-slice", "4x4", 2, 2));
  EXPECT_TRUE(answer.patch.empty()) << answer.patch;
  EXPECT_TRUE(has(answer.warnings, "TPU-109"));
}

}  // namespace
}  // namespace tpuwh::webhook::answer
