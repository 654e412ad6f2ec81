#include "server/serve/https/router.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::https {
namespace {

using namespace std::chrono_literals;
using test::case_name;
using test::PrintTo;

struct RouteCase {
  const char* name;
  Method method = Method::post;
  const char* target;
  const char* content_type = "application/json";
  bool length_known = true;
  Port port = Port::webhook;
  unsigned want_status = 200;  // 200: routed
  Resource want = Resource::mutate;
};

class RouterTest : public testing::TestWithParam<RouteCase> {};

TEST_P(RouterTest, routes_or_refuses) {
  const auto& c = GetParam();
  RequestHead head;
  head.method = c.method;
  head.target = c.target;
  head.content_type = c.content_type;
  if (c.length_known) head.content_length = 100;
  const auto routed = route(head, c.port);
  if (c.want_status == 200) {
    ASSERT_TRUE(std::holds_alternative<Resource>(routed)) << std::get<Refusal>(routed).message;
    EXPECT_EQ(std::get<Resource>(routed), c.want);
  } else {
    ASSERT_TRUE(std::holds_alternative<Refusal>(routed));
    EXPECT_EQ(std::get<Refusal>(routed).status, c.want_status);
    EXPECT_EQ(std::get<Refusal>(routed).allow.empty(), c.want_status != 405);
  }
}

TEST(Router, names_what_a_path_accepts) {
  RequestHead head;
  head.method = Method::get;
  head.target = "/mutate";
  const auto refusal = std::get<Refusal>(route(head, Port::webhook));
  EXPECT_EQ(refusal.message, "/mutate accepts POST only");
  EXPECT_EQ(refusal.allow, "POST");
}

TEST(Router, takes_the_root_for_the_path_of_a_host_alone) {
  EXPECT_EQ(path_of("https://h"), "/");
  EXPECT_EQ(path_of("https://h?x"), "/");
}

INSTANTIATE_TEST_SUITE_P(
    table, RouterTest,
    testing::Values(
        RouteCase{.name = "mutate", .target = "/mutate"},
        RouteCase{.name = "validate", .target = "/validate", .want = Resource::validate},
        RouteCase{.name = "shadow_validate",
                  .target = "/shadow/validate?timeout=2s",
                  .want = Resource::shadow_validate},
        RouteCase{.name = "mutate_with_timeout", .target = "/mutate?timeout=10s"},
        RouteCase{.name = "absolute_form", .target = "https://a.b.svc:443/mutate?timeout=10s"},
        RouteCase{.name = "media_type_parameter",
                  .target = "/mutate",
                  .content_type = "Application/JSON ; charset=utf-8"},
        RouteCase{
            .name = "livez", .method = Method::get, .target = "/livez", .want = Resource::livez},
        RouteCase{.name = "readyz_verbose",
                  .method = Method::get,
                  .target = "/readyz?verbose",
                  .want = Resource::readyz},
        RouteCase{.name = "healthz_head",
                  .method = Method::head,
                  .target = "/healthz",
                  .want = Resource::healthz},
        RouteCase{.name = "readyz_on_health_port",
                  .method = Method::get,
                  .target = "/readyz",
                  .port = Port::health,
                  .want = Resource::readyz},
        RouteCase{.name = "metrics_on_health_port",
                  .method = Method::get,
                  .target = "/metrics",
                  .port = Port::health,
                  .want = Resource::metrics},
        RouteCase{.name = "no_metrics_on_webhook_port",
                  .method = Method::get,
                  .target = "/metrics",
                  .want_status = 404},
        RouteCase{.name = "readyz_on_probes_port",
                  .method = Method::get,
                  .target = "/readyz",
                  .port = Port::probes,
                  .want = Resource::readyz},
        RouteCase{.name = "no_metrics_on_probes_port",
                  .method = Method::get,
                  .target = "/metrics",
                  .port = Port::probes,
                  .want_status = 404},
        RouteCase{.name = "metrics_on_their_own_port",
                  .method = Method::get,
                  .target = "/metrics",
                  .port = Port::metrics,
                  .want = Resource::metrics},
        RouteCase{.name = "no_probes_on_metrics_port",
                  .method = Method::get,
                  .target = "/readyz",
                  .port = Port::metrics,
                  .want_status = 404},
        RouteCase{.name = "no_reviews_on_probes_port",
                  .target = "/mutate",
                  .port = Port::probes,
                  .want_status = 404},
        RouteCase{.name = "no_reviews_on_metrics_port",
                  .target = "/mutate",
                  .port = Port::metrics,
                  .want_status = 404},
        RouteCase{.name = "no_reviews_on_health_port",
                  .target = "/mutate",
                  .port = Port::health,
                  .want_status = 404},
        RouteCase{.name = "unknown_path", .target = "/mutat", .want_status = 404},
        RouteCase{.name = "longer_path", .target = "/mutate/x", .want_status = 404},
        RouteCase{.name = "trailing_slash", .target = "/mutate/", .want_status = 404},
        RouteCase{.name = "other_case", .target = "/Mutate", .want_status = 404},
        RouteCase{.name = "escaped", .target = "/%6dutate", .want_status = 404},
        RouteCase{.name = "dots", .target = "/livez/../mutate", .want_status = 404},
        RouteCase{.name = "asterisk", .target = "*", .want_status = 404},
        RouteCase{.name = "authority_form", .target = "host:443", .want_status = 404},
        RouteCase{
            .name = "absolute_form_without_path", .target = "https://host", .want_status = 404},
        RouteCase{
            .name = "absolute_form_without_host", .target = "https:///mutate", .want_status = 404},
        RouteCase{
            .name = "absolute_form_of_nothing_else", .target = "https://", .want_status = 404},
        RouteCase{.name = "absolute_form_in_capitals", .target = "HTTPS://host/mutate"},
        RouteCase{.name = "absolute_form_of_another_scheme",
                  .target = "ftp://x/mutate",
                  .want_status = 404},
        RouteCase{.name = "scheme_in_the_query", .target = "/mutate?x=a://b/livez"},
        RouteCase{.name = "no_slash_and_a_scheme_in_the_query",
                  .target = "x?y=a://b/mutate",
                  .want_status = 404},
        RouteCase{.name = "unknown_to_http",
                  .method = Method::unknown,
                  .target = "/mutate",
                  .want_status = 501},
        RouteCase{
            .name = "path_that_contains_a_scheme", .target = "/x://y/mutate", .want_status = 404},
        RouteCase{
            .name = "get_mutate", .method = Method::get, .target = "/mutate", .want_status = 405},
        RouteCase{
            .name = "head_mutate", .method = Method::head, .target = "/mutate", .want_status = 405},
        RouteCase{.name = "delete_mutate",
                  .method = Method::other,
                  .target = "/mutate",
                  .want_status = 405},
        RouteCase{.name = "post_livez", .target = "/livez", .want_status = 405},
        RouteCase{.name = "form",
                  .target = "/mutate",
                  .content_type = "application/x-www-form-urlencoded",
                  .want_status = 415},
        RouteCase{
            .name = "no_content_type", .target = "/mutate", .content_type = "", .want_status = 415},
        RouteCase{.name = "json_as_prefix",
                  .target = "/mutate",
                  .content_type = "application/json5",
                  .want_status = 415},
        RouteCase{
            .name = "no_length", .target = "/mutate", .length_known = false, .want_status = 411}),
    case_name);

TEST(TimeoutTest, is_read_from_the_query) {
  EXPECT_EQ(timeout_of("/mutate?timeout=10s"), 10s);
  EXPECT_EQ(timeout_of("/mutate?x=1&timeout=1m0s&y"), 60s);
  EXPECT_EQ(timeout_of("https://h/mutate?timeout=500ms"), 500ms);
}

TEST(TimeoutTest, is_unknown_otherwise) {
  for (const char* target : {"/mutate", "/mutate?", "/mutate?timeout=", "/mutate?timeout=soon",
                             "/mutate?xtimeout=1s", "/mutate?&&", "/timeout=1s", ""}) {
    EXPECT_EQ(timeout_of(target), std::nullopt) << target;
  }
}

}  // namespace
}  // namespace tpuwh::server::https
