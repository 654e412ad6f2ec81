// Lists at the kernel's limit, and torch_tpu's.
#include "webhook/env/values.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/admitted.hpp"
#include "tests/support/named_case.hpp"
#include "tests/unit/webhook/env/env_pods.hpp"
#include "webhook/env/host_list.hpp"

namespace tpuwh::webhook::env {
namespace {

using namespace test;
using namespace env_test;
using test::PrintTo;

// --- The kernel's limit

// NAME=value bytes of a list of `hosts` names.
std::size_t list_bytes(std::size_t variable, std::size_t hosts, std::size_t stem, std::size_t tail,
                       std::size_t each = 1) {
  std::size_t bytes = variable + 1 + hosts * each - 1;  // '=' and commas
  for (std::size_t host = 0; host < hosts; ++host)
    bytes += each * (stem + 1 + std::to_string(host).size() + tail);
  return bytes;
}

struct Exact {
  std::string_view name;
  const char* variable;
  const char* accelerator;
  std::size_t containers;
  std::size_t hosts;
  std::size_t stem;
  std::size_t tail;  // ".svc" or ".svc:8471"
  std::size_t want;  // bytes
};

class ExactLimit : public testing::TestWithParam<Exact> {};

// One chip a container, so that any number of hosts will do.
TEST_P(ExactLimit, is_the_kernels) {
  const Exact& c = GetParam();
  ASSERT_EQ(list_bytes(std::string_view(c.variable).size(), c.hosts, c.stem, c.tail, c.containers),
            c.want);
  auto pod = a_pod().job(std::string(c.stem, 'j'), 0).accelerator(c.accelerator).tpu(1);
  for (std::size_t i = 1; i < c.containers; ++i) pod.container("b", 1);
  const char* one_wide = std::string_view(c.accelerator) == "tpu7x" ? "1x1x" : "1x";
  const auto answer = admit(pod.topology(one_wide + std::to_string(c.hosts * c.containers)));
  EXPECT_EQ(answer.allowed, c.want <= 131'071) << answer.message;
  if (answer.allowed) {
    EXPECT_EQ(std::string_view(c.variable).size() + 1 + effective(answer, c.variable).size(),
              c.want);
  } else {
    EXPECT_EQ(answer.reason, Reason::too_long);
    EXPECT_TRUE(has(answer.message,
                    std::string(c.variable) + " would be " + std::to_string(c.want) + " bytes"));
    EXPECT_TRUE(has(answer.message, "131071"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Env, ExactLimit,
    testing::Values(Exact{"addresses_2360", addresses, "tpu7x", 1, 2360, 41, 9, 131'071},
                    Exact{"addresses_6608", addresses, "tpu7x", 1, 6608, 5, 9, 131'071},
                    Exact{"hostnames_2812", names, "tpu-next", 1, 2812, 37, 4, 131'074},
                    Exact{"hostnames_2360", names, "tpu-next", 1, 2360, 46, 4, 131'070},
                    Exact{"hostnames_6608", names, "tpu-next", 1, 6608, 10, 4, 131'070}),
    case_name);

// A thousand names of the user's own, of 130 characters and the last of more.
TEST(EnvLength, of_given_names_is_what_they_have) {
  const auto allowed = [](std::size_t more) {
    std::string list;
    for (int i = 100; i < 1100; ++i)
      list += (i > 100 ? ",h" : "h") + std::to_string(i) + std::string(i < 1000 ? 1 : 0, 'a') +
              '.' + std::string(60, 'a') + '.' + std::string(63, 'b');
    return admit(a_pod()
                     .owner("Mine", "m", "u")
                     .tpu(4)
                     .ours("worker-id", "0")
                     .ours("worker-count", "1000")
                     .ours("hostnames", list + '.' + std::string(more, 'c')))
        .allowed;
  };
  const std::size_t bytes = std::string_view(names).size() + 1 + 1000 * 131;  // "=" and a dot
  EXPECT_TRUE(allowed(max_env_bytes - bytes));
  EXPECT_FALSE(allowed(max_env_bytes - bytes + 1));
}

struct Long {
  std::string_view name;
  const char* accelerator;
  const char* topology;
  std::size_t containers;
  std::size_t hosts;
  std::size_t stem;  // of the host names
};

class LongLists : public testing::TestWithParam<Long> {};

TEST_P(LongLists, fit_or_are_denied_with_the_arithmetic) {
  const Long& c = GetParam();
  auto pod =
      a_pod().accelerator(c.accelerator).topology(c.topology).job(std::string(c.stem, 'j'), 0);
  pod.tpu(4 / static_cast<int>(c.containers));
  for (std::size_t i = 1; i < c.containers; ++i)
    pod.container("b", 4 / static_cast<int>(c.containers));
  const auto answer = admit(pod);
  const std::size_t hostnames =
      list_bytes(std::string_view(names).size(), c.hosts, c.stem, 4, c.containers);
  const std::size_t with_ports =
      list_bytes(std::string_view(addresses).size(), c.hosts, c.stem, 9, c.containers);
  const bool ironwood = std::string_view(c.accelerator) == "tpu7x";
  const std::size_t longest = ironwood ? std::max(hostnames, with_ports) : hostnames;
  const std::size_t first = hostnames > max_env_bytes ? hostnames : with_ports;
  EXPECT_EQ(answer.allowed, longest <= max_env_bytes) << answer.message;
  if (answer.allowed) {
    EXPECT_EQ(std::string_view(names).size() + 1 + effective(answer, names).size(), hostnames);
    if (ironwood) {
      EXPECT_EQ(std::string_view(addresses).size() + 1 + effective(answer, addresses).size(),
                with_ports);
    }
  } else {
    EXPECT_EQ(answer.reason, Reason::too_long);
    EXPECT_TRUE(has(answer.message, std::to_string(first) + " bytes"));
    EXPECT_TRUE(has(answer.message, std::to_string(c.hosts) + " hosts"));
    EXPECT_TRUE(has(answer.message, std::to_string(c.hosts * c.containers) + " processes"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Env, LongLists,
    testing::Values(Long{"v5p_short", "tpu-v5p-slice", "16x16x24", 1, 1536, 20},
                    Long{"v5p_longest", "tpu-v5p-slice", "16x16x24", 1, 1536, 58},
                    Long{"ironwood_short", "tpu7x", "16x24x24", 1, 2304, 20},
                    Long{"ironwood_names_fit", "tpu7x", "16x24x24", 1, 2304, 46},
                    Long{"ironwood_addresses_do_not", "tpu7x", "16x24x24", 1, 2304, 47},
                    Long{"ironwood_nothing_fits", "tpu7x", "16x24x24", 1, 2304, 58},
                    Long{"ironwood_two_short", "tpu7x", "16x24x24", 2, 2304, 1},
                    Long{"ironwood_two_fits", "tpu7x", "16x24x24", 2, 2304, 14},
                    Long{"ironwood_two_do_not", "tpu7x", "16x24x24", 2, 2304, 20}),
    case_name);

TEST(EnvLength, a_million_hosts_are_denied_without_building_anything) {
  const auto answer = admit(a_pod().job("train", 0).accelerator("").on("1024x1024", 1));
  EXPECT_FALSE(answer.allowed);
  EXPECT_EQ(answer.reason, Reason::too_long);
}

// Each TPU container carries the list: their number bounds what an answer can weigh.
TEST(EnvLength, many_containers_do_not_multiply_the_list) {
  auto init = a_pod().job("j", 0).accelerator("").on("1x10000", 1);
  for (int i = 0; i < 2000; ++i) init.init_container("i" + std::to_string(i), 1);
  auto main = a_pod().ray("c", "g", 0, 0).accelerator("").on("1024x1000", 1);
  for (int i = 1; i < 1000; ++i) main.container("c" + std::to_string(i), 1);
  for (const auto& pod : {init, main}) {
    const auto answer = admit(pod);
    EXPECT_LT(answer.body.size(), 8u << 20);
    EXPECT_TRUE(answer.allowed);
    EXPECT_TRUE(has(answer.warnings, "containers"));
  }
}

// --- torch_tpu, on request ------------------------------------------------------------------

config::Config with_torch() {
  return {.torch_tpu = true};
}

// Both variables, as "TOPOLOGY ADDRESSES"; "(absent) (absent)" where there are none.
std::string torch_of(const PodBuilder& pod, const config::Config& config = with_torch()) {
  const Admitted answer = admit(pod, {.config = config});
  return effective(answer, "TORCH_TPU_TOPOLOGY") + " " +
         effective(answer, "TORCH_TPU_SLICEBUILDER_ADDRESSES");
}

const std::string no_torch = "(absent) (absent)";

// docs/facts.md#torch-tpu.
TEST(TorchTpu, has_an_address_for_each_device) {
  EXPECT_EQ(torch_of(a_pod().job("t", 1).on("2x4", 4)),
            "2,4,1 t-0.svc:8471,t-0.svc:8472,t-0.svc:8473,t-0.svc:8474,"
            "t-1.svc:8471,t-1.svc:8472,t-1.svc:8473,t-1.svc:8474");
  EXPECT_EQ(torch_of(a_pod().on("2x4", 8)),
            "2,4,1 localhost:8471,localhost:8472,localhost:8473,localhost:8474,localhost:8475,"
            "localhost:8476,localhost:8477,localhost:8478");
  EXPECT_EQ(torch_of(ironwood().on("2x2x1", 4)),
            "2,2,1,2 localhost:8471,localhost:8472,localhost:8473,localhost:8474,localhost:8475,"
            "localhost:8476,localhost:8477,localhost:8478");
  EXPECT_TRUE(torch_of(ironwood().job("t", 0).on("2x2x2", 4)).starts_with("2,2,2,2 t-0.svc:8471,"));
}

TEST(TorchTpu, is_on_request_alone) {
  EXPECT_EQ(torch_of(a_pod().job("t", 1).on("2x4", 4), {}), no_torch);
}

TEST(TorchTpu, is_of_the_sub_slice) {
  EXPECT_TRUE(torch_of(a_pod()
                           .job("t", 1)
                           .topology("4x4")
                           .annotation("cloud.google.com/gke-tpu-slice-topology", "2x4")
                           .tpu(4))
                  .starts_with("2,4,1 t-0.svc:8471,"));
}

TEST(TorchTpu, needs_a_topology_and_names) {
  EXPECT_EQ(torch_of(a_pod().job("t", 1).tpu(4)), no_torch);
  EXPECT_EQ(torch_of(a_pod().job("t", 1).on("2x4", 4).remove("/spec/subdomain")), no_torch);
  EXPECT_EQ(torch_of(a_pod().job("t", 1).tpu(4).ours("worker-count", "2")), no_torch);
}

TEST(TorchTpu, of_the_user_stays) {
  const PodBuilder pod = a_pod().job("t", 1).on("2x4", 4);
  EXPECT_EQ(torch_of(PodBuilder(pod).env("TORCH_TPU_TOPOLOGY", "4,2,1")), "4,2,1 (absent)");
  EXPECT_EQ(torch_of(PodBuilder(pod).env("TORCH_TPU_TOPOLOGY", "")), " (absent)");
  EXPECT_TRUE(torch_of(PodBuilder(pod).env("TORCH_TPU_TOPOLOGY", "2,4,1"))
                  .starts_with("2,4,1 t-0.svc:8471,"));
  EXPECT_EQ(torch_of(PodBuilder(pod).env("TORCH_TPU_SLICEBUILDER_ADDRESSES", "a:1")),
            "(absent) a:1");
}

TEST(TorchTpu, begins_at_the_port_of_the_slice) {
  EXPECT_TRUE(torch_of(a_pod().on("1x1", 1), {.base_port = 9000, .torch_tpu = true})
                  .ends_with("localhost:9000"));
  EXPECT_TRUE(torch_of(a_pod().on("2x2", 4).env("TPU_PROCESS_PORT", "8476"))
                  .starts_with("2,2,1 localhost:8476,localhost:8477,"));
  EXPECT_TRUE(torch_of(a_pod().on("2x2", 4), {.base_port = 65532, .torch_tpu = true})
                  .ends_with("localhost:65535"));
  const config::Config last{.base_port = 65533, .torch_tpu = true};
  const PodBuilder pod = a_pod().on("2x2", 4);
  EXPECT_EQ(torch_of(pod, last), no_torch);
  EXPECT_TRUE(has(admit(pod, {.config = last}).warnings,
                  "4 ports from 65533, one for each device of a host, exceed 65535"));
}

// Lists are kept from Pod to Pod: what one without a list was about is no part of the next one's.
TEST(TorchTpu, of_one_pod_is_not_the_next_ones) {
  const PodBuilder pod = a_pod().job("u", 1).on("2x4", 4);
  EXPECT_EQ(torch_of(PodBuilder(pod).env("TPU_PROCESS_PORT", "65533")), no_torch);
  EXPECT_FALSE(
      has(admit(PodBuilder(pod).remove("/spec/subdomain"), {.config = with_torch()}).warnings,
          "of torch_tpu"));
  EXPECT_TRUE(torch_of(a_pod().on("2x2", 4)).starts_with("2,2,1 localhost:8471,"));
  EXPECT_TRUE(torch_of(pod).starts_with("2,4,1 u-0.svc:8471,"));
}

// A Pod of JAX must not be refused for a variable that only torch_tpu reads.
TEST(TorchTpu, is_left_out_where_the_kernel_would_not_take_it) {
  const std::string name(24, 'n');
  const PodBuilder pod = a_pod().accelerator("tpu-v5p-slice").job(name, 9).on("16x16x16", 4);
  const Admitted answer = admit(pod, {.config = with_torch()});
  EXPECT_EQ(answer.outcome, outcome::Outcome::patched);
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "9");
  EXPECT_EQ(torch_of(pod), no_torch);
  EXPECT_TRUE(has(answer.warnings,
                  "bytes for 4096 devices on 1024 hosts; the kernel accepts at most 131071; no "
                  "variable of torch_tpu was injected"));
  // With one letter in place of 24 they fit, 23 bytes less for each device.
  const std::string fits =
      torch_of(a_pod().accelerator("tpu-v5p-slice").job("n", 9).on("16x16x16", 4));
  ASSERT_NE(fits, no_torch);
  const std::size_t bytes = fits.size() - fits.find(' ') - 1 + std::size_t{23} * 4096;
  EXPECT_TRUE(has(answer.warnings, "TORCH_TPU_SLICEBUILDER_ADDRESSES would be " +
                                       std::to_string(33 + bytes) + " bytes for"));
}

TEST(TorchTpu, is_on_record_and_stays_on_a_second_pass) {
  const Admitted first =
      admit(ironwood().job("t", 1).on("2x2x2", 2).container("b", 2), {.config = with_torch()});
  EXPECT_TRUE(has(annotation(first, "tpu-webhook.dev/injected"), "TORCH_TPU_TOPOLOGY="));
  EXPECT_EQ(admit_pod(first.object, {.config = with_torch()}).outcome, outcome::Outcome::unchanged);
  // Nothing changed in between, so that another setting changes nothing either
  // (docs/decisions/0013).
  EXPECT_EQ(admit_pod(first.object).outcome, outcome::Outcome::unchanged);
}

}  // namespace
}  // namespace tpuwh::webhook::env
