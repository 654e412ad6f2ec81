#include "kubectl/inspect/running/api_server.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::running {
namespace {

const kube::client::Resource core{"", "v1", "things", ""};
const kube::client::Resource custom{"x.io", "v2", "things", ""};

TEST(WithKindTest, an_item_says_what_it_is) {
  const struct {
    kube::client::Resource resource;
    const char *item, *want;
  } cases[] = {
      {core, R"({"metadata":{"name":"a"}})",
       R"({"apiVersion":"v1","kind":"Thing","metadata":{"name":"a"}})"},
      {custom, R"({"spec":{}})", R"({"apiVersion":"x.io/v2","kind":"Thing","spec":{}})"},
      {custom, R"({ "apiVersion":"x.io/v2","kind":"Thing"})",
       R"({ "apiVersion":"x.io/v2","kind":"Thing"})"},
      {core, R"({"kind":"Thing"})", R"({"kind":"Thing"})"},
      {core, "{ }", R"({"apiVersion":"v1","kind":"Thing" })"},
  };
  for (const auto& each : cases)
    EXPECT_EQ(with_kind(each.item, "Thing", each.resource), each.want) << each.item;
}

TEST(NameInTest, is_that_of_the_metadata) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"metadata":{"name":"a","namespace":"b"},"spec":{"x":"<<)", "b/a"},
      {R"({ "metadata" : { "name" : "a" },)", "a"},
      {R"({"apiVersion":"x/v1","kind":"X","metadata":{"annotations":)"
       R"({"name":"no"},"managedFields":[{"name":"no"}],"name":"a")",
       "a"},
      {R"({"name":"no","metadata":["name",{"name":"no"}],"x":"name")", "an unnamed object"},
      {R"({"a":"\\\",\"","metadata":{"name":"a"}})", "a"},
      {R"({"metadata":{"name":"a\)", "an unnamed object"},
      {"", "an unnamed object"},
  };
  for (const auto& [beginning, want] : cases) EXPECT_EQ(name_in(beginning), want) << beginning;
}

TEST(ApiServerList, has_an_end_in_time) {
  ApiServer server({}, {.time = std::chrono::seconds(0)});
  const Listing listing = server.list(core, {}, "Thing", [](std::string_view) { FAIL(); });
  EXPECT_EQ(listing.end, Listing::End::failed);
  EXPECT_EQ(listing.why, "cannot list things: the list does not end within 500 pages and 0 s");
}

}  // namespace
}  // namespace tpuwh::server::running
