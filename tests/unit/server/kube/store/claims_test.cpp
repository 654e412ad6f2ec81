// What is kept of resource claims: chips of the TPU DRA driver, and which nodes their selectors
// leave.
#include "server/kube/store/store.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "server/kube/store/device_selector.hpp"
#include "tests/support/own_mapping.hpp"
#include "webhook/read/body.hpp"

namespace tpuwh::server::kube::store {
namespace {

using Json = nlohmann::json;
using webhook::read::Claimed;
using Known = Claimed::Known;

class ClaimsOfTheStore : public testing::Test {
 protected:
  void put(Kind kind, const Json& object) {
    store.upsert(kind, test::OwnMapping(object.dump(), webhook::read::padding).text());
  }
  static Json made_from(const Json& requests) {
    return {{"metadata", {{"name", "t"}, {"namespace", "ns"}}},
            {"spec", {{"spec", {{"devices", {{"requests", requests}}}}}}}};
  }
  static Json named(const Json& requests, const Json& annotations = Json::object()) {
    return {{"metadata", {{"name", "c"}, {"namespace", "ns"}, {"annotations", annotations}}},
            {"spec", {{"devices", {{"requests", requests}}}}}};
  }
  Claimed asked(const std::string& requests) {
    put(Kind::claim_template, made_from(Json::parse(requests)));
    return store.claimed({"ns", "t", true});
  }
  // Of the template as it was put last.
  Claimed asked_now() const { return store.claimed({"ns", "t", true}); }
  static Json device_class(const std::string& name, const std::string& expression) {
    const Json selector = {{"cel", {{"expression", expression}}}};
    return {{"metadata", {{"name", name}}}, {"spec", {{"selectors", Json::array({selector})}}}};
  }
  void put_class(const std::string& name, const std::string& expression) {
    put(Kind::device_class, device_class(name, expression));
  }
  static Claimed chips(std::uint32_t count) { return {.known = Known::chips, .chips = count}; }

  Store store{"tpu-webhook.dev/"};
};

TEST_F(ClaimsOfTheStore, are_counted_by_their_device_class) {
  EXPECT_EQ(
      asked(R"([{"name": "a", "exactly": {"deviceClassName": "tpu.google.com", "count": 4}}])"),
      chips(4));
  EXPECT_EQ(asked(R"([{"exactly": {"count": 2, "deviceClassName": "tpu.google.com"}},
                      {"exactly": {"deviceClassName": "netdev.google.com", "allocationMode": "All"}},
                      {"deviceClassName": "tpu.google.com"}])"),
            chips(3));
  put_class("gpu.nvidia.com", "device.driver == 'gpu.nvidia.com'");
  EXPECT_EQ(asked(R"([{"exactly": {"deviceClassName": "gpu.nvidia.com", "count": 8}}])"), chips(0));
  EXPECT_EQ(asked("[]"), chips(0));
  const auto two = [](const char* one, const char* other) {
    return std::string(R"([{"deviceClassName": "tpu.google.com", "count": )") + one +
           R"(}, {"deviceClassName": "tpu.google.com", "count": )" + other + "}]";
  };
  EXPECT_EQ(asked(two("4294967294", "1")), chips(4294967295u));
  EXPECT_EQ(asked(two("4294967295", "1")).why, "asks for more chips than there are");
  // No count that the API server stores.
  EXPECT_EQ(asked(R"([{"exactly": {"deviceClassName": "tpu.google.com", "count": 3.0}}])"),
            chips(1));
}

TEST_F(ClaimsOfTheStore, are_all_of_a_node_where_no_selector_says_how_many) {
  const char* all = R"({"deviceClassName": "tpu.google.com", "allocationMode": "All"})";
  const std::string one = std::string("[{\"exactly\": ") + all + "}";
  EXPECT_EQ(asked(one + "]"), (Claimed{.known = Known::chips, .all = true}));
  EXPECT_EQ(asked(std::string(R"([{"firstAvailable": [)") + all + "," + all + "]}]"),
            (Claimed{.known = Known::chips, .all = true, .alternatives = true}));
  for (const char* beside : {all, R"({"deviceClassName": "tpu.google.com"})"}) {
    const Claimed both = asked(one + ", " + beside + "]");
    EXPECT_EQ(both.known, Known::no);
    EXPECT_EQ(both.why, "asks for all chips of a node and for others beside them");
  }
}

TEST_F(ClaimsOfTheStore, of_other_classes_are_the_drivers_where_selectors_say_so) {
  const char* ours = R"([{"exactly": {"deviceClassName": "ours", "count": 4}}])";
  const Claimed before = asked(ours);
  EXPECT_EQ(before.chips, 0u);
  EXPECT_EQ(before.why, "asks for devices of DeviceClass ours, which is not known");
  put_class("ours",
            "device.driver == 'tpu.google.com' && "
            "device.attributes['tpu.google.com'].topology == '2x4'");
  EXPECT_EQ(asked_now(), (Claimed{.known = Known::chips, .chips = 4, .topology = "2x4"}));
  put_class("ours", "device.driver == 'gpu.nvidia.com'");
  EXPECT_EQ(asked_now(), chips(0));
  put_class("ours", "device.driver == 'gpu.nvidia.com' || device.driver == 'tpu.google.com'");
  EXPECT_EQ(asked_now().chips, 0u);
  EXPECT_NE(asked_now().why.find("in a way that is not read"), std::string::npos);
  store.begin_relist(Kind::device_class);
  store.end_relist(Kind::device_class);
  EXPECT_EQ(asked_now(), before);
  // Of a class that is not known the request itself may say it.
  EXPECT_EQ(asked(R"([{"exactly": {"deviceClassName": "ours", "count": 4, "selectors": [{"cel":
                {"expression": "device.attributes['tpu.google.com'].tpuGen == 'v6e'"}}]}}])"),
            (Claimed{.known = Known::chips, .chips = 4, .accelerator = "tpu-v6e-slice"}));
  // Beside known chips it is for other devices.
  EXPECT_EQ(asked(R"([{"exactly": {"deviceClassName": "ours"}},
                      {"exactly": {"deviceClassName": "tpu.google.com", "count": 4}}])"),
            chips(4));
}

// docs/facts.md#dra-extended-resource: by the class's name, and by one that it gives.
TEST_F(ClaimsOfTheStore, are_asked_for_by_the_resources_of_a_class) {
  const std::string prefix = "deviceclass.resource.kubernetes.io/";
  const auto one = [&](const std::string& resource) {
    return store.claimed({{}, resource, false, true});
  };
  EXPECT_EQ(one(prefix + "ours"), Claimed()) << "not known";
  EXPECT_EQ(one("acme.example/chips"), Claimed());
  Json ours = device_class("ours",
                           "device.driver == 'tpu.google.com' && "
                           "device.attributes['tpu.google.com'].topology == '2x4'");
  ours["spec"]["extendedResourceName"] = "acme.example/chips";
  put(Kind::device_class, ours);
  const Claimed chip{.known = Known::chips, .chips = 1, .topology = "2x4"};
  EXPECT_EQ(one(prefix + "ours"), chip);
  EXPECT_EQ(one("acme.example/chips"), chip);
  put_class("odd", "device.driver != 'gpu' || device.driver == 'tpu.google.com'");
  EXPECT_NE(one(prefix + "odd").why.find("in a way that is not read"), std::string::npos);
  // Of two with one name one has chips.
  for (const char* name : {"a", "z"}) {
    Json other = device_class(name, "device.driver == 'gpu.nvidia.com'");
    other["spec"]["extendedResourceName"] = "acme.example/chips";
    put(Kind::device_class, other);
    EXPECT_EQ(one("acme.example/chips"), chip) << name;
    EXPECT_EQ(one(prefix + name), chips(0));
  }
  store.begin_relist(Kind::device_class);
  store.end_relist(Kind::device_class);
  EXPECT_EQ(one("acme.example/chips"), Claimed());
}

TEST_F(ClaimsOfTheStore, of_a_class_that_says_how_many_a_node_has) {
  put_class("hosts", "device.attributes['tpu.google.com'].chipCount == 4");
  EXPECT_EQ(asked(R"([{"exactly": {"deviceClassName": "hosts", "allocationMode": "All"}}])"),
            chips(4));
  std::string text = device_class("hosts", "").dump();
  store.remove(Kind::device_class, webhook::read::Body(text).bytes());
  EXPECT_EQ(store.size(Kind::device_class), 0u);
  EXPECT_EQ(asked_now().chips, 0u);
}

TEST_F(ClaimsOfTheStore, give_no_chips_to_whoever_only_looks_at_devices) {
  EXPECT_EQ(asked(R"([{"exactly": {"deviceClassName": "tpu.google.com", "adminAccess": true,
                                   "allocationMode": "All"}}])"),
            chips(0));
}

TEST_F(ClaimsOfTheStore, together_say_of_nodes_what_each_says) {
  const auto four = [](const std::string& accelerator) {
    return R"({"deviceClassName": "tpu.google.com", "count": 4, "selectors": [{"cel": {"expression":
        "device.attributes['tpu.google.com'].accelerator == ')" +
           accelerator + R"('"}}]})";
  };
  const auto both = [&](const std::string& one, const std::string& other) {
    return R"([{"exactly": )" + four(one) + R"(}, {"exactly": )" + four(other) + "}]";
  };
  EXPECT_EQ(asked(both("tpu-v6e-slice", "tpu-v6e-slice")),
            (Claimed{.known = Known::chips, .chips = 8, .accelerator = "tpu-v6e-slice"}));
  EXPECT_EQ(asked(both("tpu-v6e-slice", "tpu-v5p-slice")), chips(8));
  const std::string any = R"({"deviceClassName": "tpu.google.com", "count": 1})";
  EXPECT_EQ(
      asked(R"([{"exactly": )" + any + R"(}, {"firstAvailable": [)" + any + ", " + any + "]}]"),
      (Claimed{.known = Known::chips, .chips = 2, .alternatives = true}));
}

TEST_F(ClaimsOfTheStore, of_alternatives_are_what_all_have) {
  const auto of = [](const char* one, const char* other) {
    return std::string("[{\"firstAvailable\": [") + one + ", " + other + "]}]";
  };
  const char* four = R"({"deviceClassName": "tpu.google.com", "count": 4, "selectors": [{"cel":
      {"expression": "device.attributes['tpu.google.com'].accelerator == 'tpu-v6e-slice'"}}]})";
  const char* four_of_v5p =
      R"({"deviceClassName": "tpu.google.com", "count": 4, "selectors": [{"cel":
      {"expression": "device.attributes['tpu.google.com'].accelerator == 'tpu-v5p-slice'"}}]})";
  const char* eight = R"({"deviceClassName": "tpu.google.com", "count": 8})";
  const char* gpus = R"({"deviceClassName": "gpu.nvidia.com", "count": 4})";
  EXPECT_EQ(asked(of(four, four_of_v5p)),
            (Claimed{.known = Known::chips, .chips = 4, .alternatives = true}));
  EXPECT_EQ(asked(of(four, four)), (Claimed{.known = Known::chips,
                                            .chips = 4,
                                            .alternatives = true,
                                            .accelerator = "tpu-v6e-slice"}));
  for (const auto& differ : {of(four, eight), of(gpus, four)}) {
    const Claimed found = asked(differ);
    EXPECT_EQ(found.known, Known::no);
    EXPECT_NE(found.why.find("not the same number of chips"), std::string::npos);
  }
  EXPECT_EQ(asked(of(gpus, gpus)).chips, 0u);
}

TEST_F(ClaimsOfTheStore, say_which_nodes_they_select) {
  EXPECT_EQ(
      asked(
          R"([{"exactly": {"deviceClassName": "tpu.google.com", "allocationMode": "All", "selectors": [
          {"cel": {"expression": "device.attributes[\"tpu.google.com\"].topology == \"4x4\" && device.attributes[\"tpu.google.com\"].chipCount == 4"}},
          {"cel": {"expression": "device.attributes[\"tpu.google.com\"].accelerator == \"tpu-v6e-slice\""}}]}}])"),
      (Claimed{
          .known = Known::chips, .chips = 4, .accelerator = "tpu-v6e-slice", .topology = "4x4"}));
}

TEST_F(ClaimsOfTheStore, are_kept_by_their_names_while_they_are_there) {
  put_class("netdev.google.com", "device.driver == 'dra.networking'");
  store.begin_relist(Kind::claim);
  put(Kind::claim,
      named(Json::parse(R"([{"exactly": {"deviceClassName": "netdev.google.com"}}])")));
  store.end_relist(Kind::claim);
  EXPECT_EQ(store.claimed({"ns", "c", false}), chips(0));
  EXPECT_EQ(store.claimed({"ns", "c", true}), Claimed());
  EXPECT_EQ(store.claimed({"other", "c", false}), Claimed());
  store.read_claims(true);
  EXPECT_EQ(store.claimed({"other", "c", false}).known, Known::unread);
  store.begin_relist(Kind::claim);
  store.end_relist(Kind::claim);
  EXPECT_EQ(store.size(Kind::claim), 0u);
  EXPECT_EQ(store.claimed({"ns", "c", false}).known, Known::unread);
}

TEST_F(ClaimsOfTheStore, that_kubernetes_made_for_a_pod_are_not_kept) {
  put(Kind::claim, named(Json::array(), {{"resource.kubernetes.io/pod-claim-name", "tpu"}}));
  EXPECT_EQ(store.size(Kind::claim), 0u);
  std::string text = made_from(Json::array()).dump();
  put(Kind::claim_template, made_from(Json::array()));
  EXPECT_EQ(store.size(Kind::claim_template), 1u);
  store.remove(Kind::claim_template, webhook::read::Body(text).bytes());
  EXPECT_EQ(store.size(Kind::claim_template), 0u);
}

TEST(ClaimSpecs, are_as_they_were_read_last) {
  base::json::Reader reader;
  ClaimSpec spec;
  for (const std::string_view device_class : {"a", "b"}) {
    std::string text =
        R"({"devices": {"requests": [{"deviceClassName": ")" + std::string(device_class) + "\"}]}}";
    ASSERT_TRUE(reader.start(webhook::read::Body(text).bytes()) && read_claim_spec(reader, spec));
    ASSERT_EQ(spec.size(), 1u);
    EXPECT_EQ(spec[0][0].device_class, device_class);
  }
}

// As many as the API takes; what says more is not read.
TEST(ClaimSpecs, have_no_more_requests_than_the_api_allows) {
  const auto read = [](std::size_t requests, std::size_t alternatives) {
    const Json one{{"deviceClassName", "a"}};
    const Json request{{"firstAvailable", std::vector<Json>(alternatives, one)}};
    const Json requests_of_claim = std::vector<Json>(requests, request);
    std::string text = Json{{"devices", {{"requests", requests_of_claim}}}}.dump();
    base::json::Reader reader;
    ClaimSpec spec;
    return reader.start(webhook::read::Body(text).bytes()) && read_claim_spec(reader, spec);
  };
  EXPECT_TRUE(read(32, 8));
  EXPECT_FALSE(read(33, 1));
  EXPECT_FALSE(read(1, 9));
}

// ---- selectors

// But for whether the driver's name stands in it.
SelectedChips selected(std::string_view expression) {
  SelectedChips out;
  add_selected(expression, out);
  out.names_driver = false;
  return out;
}

TEST(DeviceSelector, is_read_as_the_drivers_pages_write_it) {
  EXPECT_EQ(selected(R"(device.attributes["tpu.google.com"].accelerator == "tpu-v6e-slice")"),
            (SelectedChips{.accelerator = "tpu-v6e-slice", .of_driver = true}));
  EXPECT_EQ(selected(" device.attributes['tpu.google.com'].topology\n== '2x4' "),
            (SelectedChips{.topology = "2x4", .of_driver = true}));
  EXPECT_EQ(selected("device.driver == 'tpu.google.com'"), SelectedChips{.of_driver = true});
  EXPECT_EQ(selected("device.attributes['tpu.google.com'].tpuGen == 'v6e'"),
            (SelectedChips{.accelerator = "tpu-v6e-slice", .of_driver = true}));
  EXPECT_EQ(selected("device.attributes['tpu.google.com'].tpuGen == 'v5lite'"),
            SelectedChips{.of_driver = true});
  EXPECT_EQ(selected(R"((device.driver == "tpu.google.com" &&
                         (device.attributes["tpu.google.com"].chipCount==8)) &&
                         device.attributes["tpu.google.com"].topology == "2x4" && other(1))"),
            (SelectedChips{.topology = "2x4", .chip_count = 8, .of_driver = true}));
}

TEST(DeviceSelector, has_names_of_letters_digits_and_underscores) {
  EXPECT_EQ(selected("device.attributes['tpu.google.com'].azAZ09_ == 'x'"),
            SelectedChips{.of_driver = true});
  EXPECT_EQ(selected("device.attributes['tpu.google.com'].chipCount == 10"),
            (SelectedChips{.chip_count = 10, .of_driver = true}));
  for (const char other : {'`', '{', '@', '[', '/', ':', '-'})
    EXPECT_EQ(selected(std::string("device.attributes['tpu.google.com'].a") + other + " == 'x'"),
              SelectedChips())
        << other;
}

TEST(DeviceSelector, may_have_spaces_between_its_words_or_none) {
  EXPECT_EQ(selected("device.driver=='tpu.google.com'&&"
                     "device.attributes['tpu.google.com'].topology=='2x4'"),
            (SelectedChips{.topology = "2x4", .of_driver = true}));
  EXPECT_EQ(selected("device . attributes [ 'tpu.google.com' ] . topology == '2x4'"),
            (SelectedChips{.topology = "2x4", .of_driver = true}));
}

// What may be missing is passed over, as is whatever else is not read.
TEST(DeviceSelector, of_which_a_part_is_not_read_says_the_rest) {
  EXPECT_EQ(selected("device.driver == 'tpu.google.com' && "
                     "device.attributes['tpu.google.com'].?topology.orValue('') == '2x4'"),
            SelectedChips{.of_driver = true});
  EXPECT_EQ(selected("device.driver == 'tpu.google.com' && x == 'a || b'"),
            SelectedChips{.of_driver = true});
  EXPECT_EQ(selected("(x == 1 || y == 2) && device.driver == 'tpu.google.com'"),
            SelectedChips{.of_driver = true});
}

TEST(DeviceSelector, that_may_mean_something_else_says_nothing) {
  for (const char* text :
       {R"(device.attributes["tpu.google.com"].topology == "2x4" || true)",
        R"(device.attributes["tpu.google.com"].topology == "2x4" ? true : false)",
        R"(!(device.attributes["tpu.google.com"].topology == "2x4"))",
        R"(device.attributes["tpu.google.com"].topology != "2x4")",
        R"(device.attributes["tpu.google.com"].topology == "2x4" == false)",
        R"(device.attributes["gpu.nvidia.com"].topology == "2x4")",
        R"(device.attributes["tpu.google.com"].topology == "2\x784")",
        R"(device.attributes["tpu.google.com"].topology in ["2x4", "4x4"])",
        R"(device.attributes["tpu.google.com"].?topology.orValue("") == "2x4")",
        R"((device.attributes["tpu.google.com"].topology == "2x4") || (true))",
        R"((device.driver == "tpu.google.com" && true) == (false))",
        R"((device.driver == "tpu.google.com" && true)))",
        R"(device.driver == "tpu.google.com" && true || true)",
        R"(device.driver == "tpu.google.com" && true ? true : true)",
        R"("&&" == "x" || device.attributes["tpu.google.com"].topology == "2x4")",
        R"(device.attributes["tpu.google.com"].topology == "2x4)",
        R"(device.attributes["tpu.google.com"].chipCount == 4u)",
        R"(device.driver == "tpu.google.com" || device.driver == "gpu.nvidia.com")",
        R"(device.driver != "tpu.google.com")",
        R"(!(device.driver == "tpu.google.com"))",
        R"(device.driver == "tpu.google.com.example")",
        "(((",
        ")",
        "'",
        ""})
    EXPECT_EQ(selected(text), SelectedChips()) << text;
}

TEST(DeviceSelector, begins_where_it_begins) {
  const std::string_view text = ".? && device.driver == 'tpu.google.com'";
  EXPECT_EQ(selected(text.substr(1)), SelectedChips());
}

TEST(DeviceSelector, is_read_in_time_whatever_it_holds) {
  EXPECT_EQ(selected(std::string(20'000, '(')), SelectedChips());
  const std::string deep(1'000, '(');
  const std::string text = R"(device.attributes["tpu.google.com"].topology == "2x4")";
  EXPECT_EQ(selected(deep + text + std::string(1'000, ')')), SelectedChips());
  const SelectedChips read{.topology = "2x4", .of_driver = true};
  EXPECT_EQ(selected("((((" + text + "))))"), read);
  EXPECT_EQ(selected("(((((" + text + ")))))"), SelectedChips());
  // CELSelectorExpressionMaxLength.
  const std::size_t longest = 10'240;
  EXPECT_EQ(selected(text + std::string(longest - text.size(), ' ')), read);
  EXPECT_EQ(selected(text + std::string(longest + 1 - text.size(), ' ')), SelectedChips());
}

}  // namespace
}  // namespace tpuwh::server::kube::store
