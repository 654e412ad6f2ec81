// Chips by claim: the same identity, once the claim says how many (docs/facts.md#dra).
#include "webhook/read/claims.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"

namespace tpuwh::webhook::read {
namespace {

using test::a_pod;
using test::admit;
using test::effective;
using test::json;

struct Templates final : ClusterView {
  std::optional<std::uint32_t> claimed_chips(std::string_view ns,
                                             std::string_view name) const override {
    if (ns != "default") return std::nullopt;
    if (name == "tpu-4") return 4;
    if (name == "tpu-1") return 1;
    if (name == "netdev") return 0;
    return std::nullopt;
  }
};

// Braces around one object are that object to nlohmann, not a list of it.
json list(const std::vector<json>& items) {
  return items;
}

test::PodBuilder worker(const json& claims, const json& used) {
  return a_pod()
      .job("t", 1)
      .topology("2x4")
      .set("/spec/resourceClaims", claims)
      .set("/spec/containers/0/resources", json{{"claims", used}});
}

json claim(const char* name, const char* made_from) {
  return {{"name", name}, {"resourceClaimTemplateName", made_from}};
}

json use(const char* name) {
  return {{"name", name}};
}

test::Admitted ask(const test::PodBuilder& pod) {
  static const Templates cluster;
  return admit(pod, {.cluster = &cluster});
}

TEST(Claims, are_chips) {
  const auto pod = worker(list({claim("tpu", "tpu-4"), claim("net", "netdev")}),
                          list({use("tpu"), {{"name", "net"}, {"request", "nic"}}}));
  const auto answer = ask(pod);
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "1");
  EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "t-0.svc,t-1.svc");
  EXPECT_EQ(answer.object["spec"]["resourceClaims"], pod.pod()["spec"]["resourceClaims"]);
}

TEST(Claims, of_one_chip_are_chips) {
  const auto answer =
      ask(worker(list({claim("tpu", "tpu-1")}), list({use("tpu")})).topology("1x1"));
  EXPECT_EQ(answer.reason, outcome::Reason::single_host) << answer.body;
  const auto shared =
      ask(worker(list({claim("tpu", "tpu-1")}), list({use("tpu")}))
              .topology("1x1")
              .container("b")
              .set("/spec/containers/1/resources", json{{"claims", list({use("tpu")})}}));
  EXPECT_EQ(shared.reason, outcome::Reason::no_tpu) << shared.body;
}

TEST(Claims, of_other_devices_are_not) {
  const auto answer = ask(worker(list({claim("net", "netdev")}), list({use("net")})));
  EXPECT_EQ(answer.reason, outcome::Reason::no_tpu);
}

TEST(Claims, that_are_not_known_are_not_guessed) {
  for (const auto& pod :
       {worker(list({claim("tpu", "other")}), list({use("tpu")})),
        worker(list({claim("tpu", "tpu-4")}), list({use("another")})),
        worker(list({{{"name", "tpu"}, {"resourceClaimName", "tpu-4"}}}), list({use("tpu")})),
        worker(list({claim("tpu", "tpu-4")}), list({use("tpu")}))
            .container("b")
            .set("/spec/containers/1/resources", json{{"claims", list({use("tpu")})}})}) {
    const auto answer = ask(pod);
    EXPECT_EQ(answer.reason, outcome::Reason::no_tpu) << pod.pod();
    EXPECT_NE(answer.warning("is not known; nothing was injected"), "");
    EXPECT_EQ(answer.patch, json::array());
  }
}

// Whatever the order of the lists, and however many there are.
TEST(Claims, are_found_among_many) {
  json claims = json::array();
  for (int i = 0; i < 300; ++i)
    claims.push_back(claim(("n" + std::to_string(i % 250)).c_str(), "netdev"));
  claims[137] = claim("tpu", "tpu-4");
  claims.push_back(claim("tpu", "other"));  // no API server takes it; the first counts
  const json used = list({use("n7"), use("tpu"), use("n249")});
  EXPECT_EQ(effective(ask(worker(claims, used)), "TPU_WORKER_ID"), "1");
  const auto twice = worker(claims, used)
                         .container("b")
                         .set("/spec/containers/1/resources", json{{"claims", list({use("tpu")})}});
  EXPECT_EQ(ask(twice).reason, outcome::Reason::no_tpu);
  EXPECT_EQ(ask(worker(claims, list({use("tpu"), use("n300")}))).reason, outcome::Reason::no_tpu);
}

TEST(Claims, beside_chips_add_none) {
  const auto answer = ask(worker(list({claim("tpu", "tpu-4")}), list({use("tpu")})).tpu(4));
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "1");
}

TEST(Claims, of_the_wrong_type_are_told_of) {
  EXPECT_EQ(ask(worker(list({{{"name", 5}}}), json::array())).status, 400u);
  EXPECT_EQ(ask(worker(5, json::array())).status, 400u);
  EXPECT_TRUE(ask(worker(nullptr, nullptr)).allowed);
}

}  // namespace
}  // namespace tpuwh::webhook::read
