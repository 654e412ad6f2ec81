#include "server/tools/inspect/running/api_server.hpp"

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

}  // namespace
}  // namespace tpuwh::server::running
