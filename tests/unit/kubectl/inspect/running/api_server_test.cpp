#include "kubectl/inspect/running/api_server.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::running {
namespace {

using test::case_name;
using test::PrintTo;

struct KindCase {
  const char* name;
  kube::client::Resource resource;
  const char* item;
  const char* want;
};

class WithKindTest : public testing::TestWithParam<KindCase> {};

TEST_P(WithKindTest, an_item_says_what_it_is) {
  EXPECT_EQ(with_kind(GetParam().item, "Thing", GetParam().resource), GetParam().want);
}

const kube::client::Resource core{"", "v1", "things", ""};
const kube::client::Resource custom{"x.io", "v2", "things", ""};

INSTANTIATE_TEST_SUITE_P(
    table, WithKindTest,
    testing::Values(
        KindCase{.name = "of_a_built_in_kind",
                 .resource = core,
                 .item = R"({"metadata":{"name":"a"}})",
                 .want = R"({"apiVersion":"v1","kind":"Thing","metadata":{"name":"a"}})"},
        KindCase{.name = "of_a_group",
                 .resource = custom,
                 .item = R"({"spec":{}})",
                 .want = R"({"apiVersion":"x.io/v2","kind":"Thing","spec":{}})"},
        KindCase{.name = "of_a_custom_resource",
                 .resource = custom,
                 .item = R"({ "apiVersion":"x.io/v2","kind":"Thing"})",
                 .want = R"({ "apiVersion":"x.io/v2","kind":"Thing"})"},
        KindCase{.name = "kind_first",
                 .resource = core,
                 .item = R"({"kind":"Thing"})",
                 .want = R"({"kind":"Thing"})"},
        KindCase{.name = "empty",
                 .resource = core,
                 .item = "{ }",
                 .want = R"({"apiVersion":"v1","kind":"Thing" })"}),
    case_name);

struct NameCase {
  const char* name;
  const char* beginning;
  const char* want;
};

class NameInTest : public testing::TestWithParam<NameCase> {};

TEST_P(NameInTest, is_that_of_the_metadata) {
  EXPECT_EQ(name_in(GetParam().beginning), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    table, NameInTest,
    testing::Values(
        NameCase{.name = "cut_off",
                 .beginning = R"({"metadata":{"name":"a","namespace":"b"},"spec":{"x":"<<)",
                 .want = "b/a"},
        NameCase{.name = "of_no_namespace",
                 .beginning = R"({ "metadata" : { "name" : "a" },)",
                 .want = "a"},
        NameCase{.name = "of_a_custom_resource",
                 .beginning = R"({"apiVersion":"x/v1","kind":"X","metadata":{"annotations":)"
                              R"({"name":"no"},"managedFields":[{"name":"no"}],"name":"a")",
                 .want = "a"},
        NameCase{.name = "elsewhere",
                 .beginning = R"({"name":"no","metadata":["name",{"name":"no"}],"x":"name")",
                 .want = "an unnamed object"},
        NameCase{.name = "behind_an_escape",
                 .beginning = R"({"a":"\\\",\"","metadata":{"name":"a"}})",
                 .want = "a"},
        NameCase{.name = "cut_inside",
                 .beginning = R"({"metadata":{"name":"a\)",
                 .want = "an unnamed object"},
        NameCase{.name = "empty", .beginning = "", .want = "an unnamed object"}),
    case_name);

TEST(ApiServerList, has_an_end_in_time) {
  ApiServer server({}, {.time = std::chrono::seconds(0)});
  const Listing listing = server.list(core, {}, "Thing", [](std::string_view) { FAIL(); });
  EXPECT_EQ(listing.end, Listing::End::failed);
  EXPECT_EQ(listing.why, "cannot list things: the list does not end within 500 pages and 0 s");
}

}  // namespace
}  // namespace tpuwh::server::running
