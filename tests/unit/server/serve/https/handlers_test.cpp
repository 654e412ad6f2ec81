#include "server/serve/https/handlers.hpp"

#include "tests/unit/server/serve/https/with_handlers.hpp"
#include "webhook/ledger/ledger.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::https {
namespace {

class HandlersTest : public WithHandlers {
 protected:
  std::string body_;

  Reply answer(Resource resource) {
    return handlers_.answer(resource, webhook::read::Body(body_)).reply;
  }
};

TEST_F(HandlersTest, livez_says_ok) {
  for (const auto resource : {Resource::livez, Resource::healthz}) {
    const auto reply = answer(resource);
    EXPECT_EQ(reply.status, 200u);
    EXPECT_EQ(reply.body, "ok");
    EXPECT_TRUE(reply.content_type.starts_with("text/plain"));
  }
}

TEST_F(HandlersTest, readyz_says_why_not) {
  EXPECT_EQ(answer(Resource::readyz).status, 503u);
  health_.set_serving();
  EXPECT_EQ(answer(Resource::readyz).status, 200u);
  health_.set_draining();
  const auto reply = answer(Resource::readyz);
  EXPECT_EQ(reply.status, 503u);
  EXPECT_EQ(reply.body, "draining");
}

TEST_F(HandlersTest, readyz_says_what_is_off) {
  health_.set_serving();
  health_.set_off("no validation");
  EXPECT_EQ(answer(Resource::readyz).status, 200u);
  EXPECT_EQ(answer(Resource::readyz).body, "ok; no validation");
}

TEST_F(HandlersTest, metrics_count_what_was_answered) {
  const std::string before(answer(Resource::metrics).body);
  EXPECT_NE(before.find("# HELP "), std::string::npos);
  body_ = "{}";
  answer(Resource::mutate);
  EXPECT_NE(answer(Resource::metrics).body, before);
}

TEST_F(HandlersTest, shadow_allows_what_mutate_refuses) {
  const std::string review =
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1",)"
      R"("kind":{"group":"","version":"v1","kind":"Pod"},)"
      R"("resource":{"group":"","version":"v1","resource":"pods"},"operation":"CREATE",)"
      R"("object":{"metadata":{},"spec":{"containers":[{"name":"c","resources":)"
      R"({"limits":{"google.com/tpu":"0.5"}}}]}}}})";
  body_ = review;
  EXPECT_NE(answer(Resource::mutate).body.find("\"allowed\":false"), std::string_view::npos);
  body_ = review;
  const auto reply = answer(Resource::shadow);
  EXPECT_NE(reply.body.find("\"allowed\":true"), std::string_view::npos) << reply.body;
  EXPECT_NE(reply.body.find("shadow mode"), std::string_view::npos) << reply.body;
}

TEST_F(HandlersTest, validate_answers_workload_objects_alone) {
  const std::string review =
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1",)"
      R"("kind":{"group":"ray.io","version":"v1","kind":"RayCluster"},"operation":"CREATE",)"
      R"("object":{"metadata":{"name":"r"},"spec":{"workerGroupSpecs":[{"groupName":"w",)"
      R"("template":{"spec":{"containers":[{"name":"c","resources":)"
      R"({"limits":{"google.com/tpu":"0.5"}}}]}}}]}}}})";
  const auto says = [&](Resource resource, const char* text) {
    body_ = review;
    const auto reply = answer(resource);
    EXPECT_EQ(reply.status, 200u);
    EXPECT_NE(reply.body.find(text), std::string_view::npos) << reply.body;
  };
  says(Resource::validate, "\"allowed\":false");
  says(Resource::validate, "worker group w");
  says(Resource::shadow_validate, "\"allowed\":true");
  says(Resource::shadow_validate, "shadow mode");
  says(Resource::mutate, "\"allowed\":true");
}

// The connection is closed, so that the API server's retry can reach another replica.
TEST_F(HandlersTest, mutate_closes_where_another_replica_may_know) {
  body_ = worker_review();
  const auto later = webhook::ledger::try_again("the record was written by another replica");
  const Answered failed =
      handlers_.answer(Resource::mutate, webhook::read::Body(body_), {.place = &later});
  EXPECT_EQ(failed.reply.status, 503u);
  EXPECT_TRUE(failed.reply.close);
}

}  // namespace
}  // namespace tpuwh::server::https
