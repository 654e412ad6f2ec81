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
  Method method;
  const char* target;
  std::variant<Resource, unsigned> want;  // or the status of the refusal
  Port port = Port::webhook;
  const char* content_type = "application/json";
  bool length_known = true;
};

const RouteCase routes[] = {
    {"mutate", Method::post, "/mutate", Resource::mutate},
    {"validate", Method::post, "/validate", Resource::validate},
    {"shadow_validate", Method::post, "/shadow/validate?timeout=2s", Resource::shadow_validate},
    {"mutate_with_timeout", Method::post, "/mutate?timeout=10s", Resource::mutate},
    {"absolute_form", Method::post, "https://a.b.svc:443/mutate?timeout=10s", Resource::mutate},
    {"media_type_parameter", Method::post, "/mutate", Resource::mutate, Port::webhook,
     "Application/JSON ; charset=utf-8"},
    {"livez", Method::get, "/livez", Resource::livez},
    {"readyz_verbose", Method::get, "/readyz?verbose", Resource::readyz},
    {"healthz_head", Method::head, "/healthz", Resource::healthz},
    {"readyz_on_health_port", Method::get, "/readyz", Resource::readyz, Port::health},
    {"metrics_on_health_port", Method::get, "/metrics", Resource::metrics, Port::health},
    {"no_metrics_on_webhook_port", Method::get, "/metrics", 404u},
    {"readyz_on_probes_port", Method::get, "/readyz", Resource::readyz, Port::probes},
    {"no_metrics_on_probes_port", Method::get, "/metrics", 404u, Port::probes},
    {"metrics_on_their_own_port", Method::get, "/metrics", Resource::metrics, Port::metrics},
    {"no_probes_on_metrics_port", Method::get, "/readyz", 404u, Port::metrics},
    {"no_reviews_on_probes_port", Method::post, "/mutate", 404u, Port::probes},
    {"no_reviews_on_metrics_port", Method::post, "/mutate", 404u, Port::metrics},
    {"no_reviews_on_health_port", Method::post, "/mutate", 404u, Port::health},
    {"unknown_path", Method::post, "/mutat", 404u},
    {"longer_path", Method::post, "/mutate/x", 404u},
    {"trailing_slash", Method::post, "/mutate/", 404u},
    {"other_case", Method::post, "/Mutate", 404u},
    {"escaped", Method::post, "/%6dutate", 404u},
    {"dots", Method::post, "/livez/../mutate", 404u},
    {"asterisk", Method::post, "*", 404u},
    {"authority_form", Method::post, "host:443", 404u},
    {"absolute_form_without_path", Method::post, "https://host", 404u},
    {"absolute_form_without_host", Method::post, "https:///mutate", 404u},
    {"absolute_form_of_nothing_else", Method::post, "https://", 404u},
    {"absolute_form_in_capitals", Method::post, "HTTPS://host/mutate", Resource::mutate},
    {"absolute_form_of_another_scheme", Method::post, "ftp://x/mutate", 404u},
    {"scheme_in_the_query", Method::post, "/mutate?x=a://b/livez", Resource::mutate},
    {"no_slash_and_a_scheme_in_the_query", Method::post, "x?y=a://b/mutate", 404u},
    {"unknown_to_http", Method::unknown, "/mutate", 501u},
    {"path_that_contains_a_scheme", Method::post, "/x://y/mutate", 404u},
    {"get_mutate", Method::get, "/mutate", 405u},
    {"head_mutate", Method::head, "/mutate", 405u},
    {"delete_mutate", Method::other, "/mutate", 405u},
    {"post_livez", Method::post, "/livez", 405u},
    {"form", Method::post, "/mutate", 415u, Port::webhook, "application/x-www-form-urlencoded"},
    {"no_content_type", Method::post, "/mutate", 415u, Port::webhook, ""},
    {"json_as_prefix", Method::post, "/mutate", 415u, Port::webhook, "application/json5"},
    {"no_length", Method::post, "/mutate", 411u, Port::webhook, "application/json", false},
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
  const auto* refusal = std::get_if<Refusal>(&routed);
  ASSERT_EQ(refusal == nullptr, std::holds_alternative<Resource>(c.want));
  if (refusal == nullptr) {
    EXPECT_EQ(std::get<Resource>(routed), std::get<Resource>(c.want));
  } else {
    EXPECT_EQ(refusal->status, std::get<unsigned>(c.want));
    EXPECT_EQ(refusal->allow.empty(), refusal->status != 405);
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

INSTANTIATE_TEST_SUITE_P(table, RouterTest, testing::ValuesIn(routes), case_name);

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
