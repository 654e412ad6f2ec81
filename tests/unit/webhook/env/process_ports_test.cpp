// TPU_PROCESS_PORT, and the list that says them (docs/decisions/0016).
#include "webhook/env/process_ports.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/unit/webhook/env/env_pods.hpp"

namespace tpuwh::webhook::env {
namespace {

using namespace test;
using namespace env_test;

std::vector<std::string> ports_of(const Admitted& answer, std::size_t containers) {
  std::vector<std::string> ports;
  for (std::size_t i = 0; i < containers; ++i)
    ports.push_back(effective(answer, "TPU_PROCESS_PORT", i));
  ports.push_back(effective(answer, addresses));
  return ports;
}

using Ports = std::vector<std::string>;

TEST(ProcessPorts, of_the_user_are_adopted) {
  const auto both = admit(ironwood()
                              .on("2x2x1", 2)
                              .env("TPU_PROCESS_PORT", "9100")
                              .container("b", 2)
                              .env("TPU_PROCESS_PORT", "9200"));
  EXPECT_EQ(ports_of(both, 2), (Ports{"9100", "9200", "localhost:9100,localhost:9200"}));
}

// Lists are kept from Pod to Pod; each port tells them apart.
TEST(ProcessPorts, of_one_pod_are_not_those_of_the_next) {
  const auto list = [](const char* first, const char* second) {
    return effective(admit(ironwood()
                               .on("2x2x1", 2)
                               .env("TPU_PROCESS_PORT", first)
                               .container("b", 2)
                               .env("TPU_PROCESS_PORT", second)),
                     addresses);
  };
  EXPECT_EQ(list("9300", "9400"), "localhost:9300,localhost:9400");
  EXPECT_EQ(list("9500", "9400"), "localhost:9500,localhost:9400");
  EXPECT_EQ(list("9500", "9600"), "localhost:9500,localhost:9600");
}

// The port that a container says already is the slice's (docs/decisions/0016).
TEST(ProcessPorts, one_of_the_user_sets_the_others) {
  const auto first =
      admit(ironwood().on("2x2x1", 2).env("TPU_PROCESS_PORT", "9000").container("b", 2));
  EXPECT_EQ(ports_of(first, 2), (Ports{"9000", "9001", "localhost:9000,localhost:9001"}));
  const auto second =
      admit(ironwood().on("2x2x1", 2).container("b", 2).env("TPU_PROCESS_PORT", "9000"));
  EXPECT_EQ(ports_of(second, 2), (Ports{"8999", "9000", "localhost:8999,localhost:9000"}));
  // None is in front of port 1.
  const auto none = admit(ironwood().on("2x2x1", 2).container("b", 2).env("TPU_PROCESS_PORT", "1"));
  EXPECT_EQ(ports_of(none, 2), (Ports{"8471", "1", "localhost:8471,localhost:1"}));
}

// The other processes look for each at its entry of the list.
TEST(ProcessPorts, of_a_list_of_the_user_are_adopted) {
  const char* list = "t-0.svc:9000,t-0.svc:9500,t-1.svc:9001,t-1.svc:9501";
  const auto pod = ironwood()
                       .job("t", 1)
                       .on("2x2x2", 2)
                       .env(addresses, list)
                       .container("b", 2)
                       .env(addresses, list);
  EXPECT_EQ(ports_of(admit(pod), 2), (Ports{"9001", "9501", list}));
  const auto last =
      ironwood().job("t", 1).on("2x2x2", 4).env(addresses, "t-0.svc:65535,t-1.svc:65535");
  EXPECT_EQ(effective(admit(last), "TPU_PROCESS_PORT"), "65535");
}

TEST(ProcessPorts, beside_a_list_that_does_not_fit_there_are_none) {
  for (const char* list : {"t-0.svc:9000", "t-0.svc:9000,t-1.svc:9000,x:9000", "t-0.svc:9000,t-1",
                           "a,t-1.svc:0", ",", ""}) {
    const auto answer = admit(ironwood().job("t", 1).on("2x2x2", 4).env(addresses, list));
    EXPECT_EQ(effective(answer, "TPU_PROCESS_PORT"), "(absent)") << list;
    EXPECT_TRUE(has(answer.warnings, "TPU_PROCESS_ADDRESSES of container main is ")) << list;
  }
}

TEST(ProcessPorts, the_same_twice_is_told) {
  const auto answer = admit(ironwood()
                                .on("2x2x1", 2)
                                .env("TPU_PROCESS_PORT", "8471")
                                .container("b", 2)
                                .env("TPU_PROCESS_PORT", "8471"));
  EXPECT_TRUE(has(answer.warnings,
                  "TPU-504: TPU_PROCESS_PORT of container main is 8471 and was kept; this "
                  "Pod's place in the slice gives a port of its own"));
  EXPECT_EQ(effective(answer, addresses), "(absent)");
}

TEST(ProcessPorts, are_never_the_same_twice_in_a_pod) {
  const auto first =
      admit(ironwood().on("2x2x1", 2).env("TPU_PROCESS_PORT", "8472").container("b", 2));
  const auto second =
      admit(ironwood().on("2x2x1", 2).container("b", 2).env("TPU_PROCESS_PORT", "8471"));
  for (const auto* answer : {&first, &second}) {
    const auto ports = ports_of(*answer, 2);
    EXPECT_TRUE(ports[0] != ports[1] || answer->warning("TPU_PROCESS_PORT") != "") << ports[2];
  }
}

TEST(ProcessPorts, there_is_none_above_65535) {
  const auto answer =
      admit(ironwood().on("2x2x1", 2).env("TPU_PROCESS_PORT", "65535").container("b", 2));
  EXPECT_EQ(effective(answer, addresses), "(absent)");
  EXPECT_TRUE(has(answer.warnings, "TPU_PROCESS_PORT"));
  const auto last =
      admit(ironwood().on("2x2x1", 2).container("b", 2).env("TPU_PROCESS_PORT", "65535"));
  EXPECT_EQ(effective(last, addresses), "localhost:65534,localhost:65535");
}

TEST(ProcessPorts, what_is_no_port_leaves_the_list_out) {
  for (const json& entry : {literal("TPU_PROCESS_PORT", "0"), literal("TPU_PROCESS_PORT", "65536"),
                            literal("TPU_PROCESS_PORT", "http"), literal("TPU_PROCESS_PORT", ""),
                            from("TPU_PROCESS_PORT", "f")}) {
    const auto answer = admit(ironwood().on("2x2x1", 2).env_entry(entry).container("b", 2));
    EXPECT_EQ(effective(answer, addresses), "(absent)") << entry;
    EXPECT_TRUE(has(answer.warnings, "TPU_PROCESS_PORT")) << entry;
    // Nothing of it is said of the next Pod, which has no list.
    EXPECT_TRUE(admit(a_pod().job("t", 1).on("2x4", 4)).warnings.empty()) << entry;
  }
}

}  // namespace
}  // namespace tpuwh::webhook::env
