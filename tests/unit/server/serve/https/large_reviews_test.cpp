#include "server/serve/https/large_reviews.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tpuwh::server::https {
namespace {

using namespace std::chrono_literals;
using Pass = LargeReviews::Pass;

// Connections that want the place, each on the loop it is given; `told` says who had it.
class LargeReviewsTest : public testing::Test {
 protected:
  LargeReview& review() { return *reviews_.emplace_back(std::make_unique<LargeReview>(all_)); }

  void want(LargeReview& review, std::string name, Pass pass, boost::asio::io_context& loop,
            limits::Duration limit = 10s, std::string ns = {}) {
    boost::asio::co_spawn(loop, ask(review, std::move(name), pass, loop, limit, std::move(ns)),
                          boost::asio::detached);
    turn();
  }
  net::Task<void> ask(LargeReview& review, std::string name, Pass pass,
                      boost::asio::io_context& loop, limits::Duration limit, std::string ns) {
    const bool got = co_await review.take(loop.get_executor(), pass, limit, std::move(ns));
    told_.push_back(got ? name : name + " not");
  }
  void give_back(LargeReview& review) {
    review.give_back();
    turn();
  }
  void turn() {
    for (int i = 0; i < 3; ++i) {
      one_.restart();
      one_.poll();
      other_.restart();
      other_.poll();
    }
  }

  boost::asio::io_context one_, other_;
  LargeReviews all_;
  std::vector<std::unique_ptr<LargeReview>> reviews_;
  std::vector<std::string> told_;
};

using Names = std::vector<std::string>;

TEST_F(LargeReviewsTest, come_in_order_over_all_loops) {
  LargeReview &a = review(), &b = review(), &c = review(), &d = review();
  want(a, "a", Pass::first, one_);
  want(b, "b", Pass::first, other_);
  want(c, "c", Pass::first, one_);
  want(d, "d", Pass::first, other_);
  EXPECT_EQ(told_, Names({"a"}));
  give_back(a);
  give_back(b);
  EXPECT_EQ(told_, Names({"a", "b", "c"}));
  give_back(c);
  give_back(d);
  EXPECT_EQ(told_, Names({"a", "b", "c", "d"}));
}

// A namespace with many of them does not hold up those of another one.
TEST_F(LargeReviewsTest, of_namespaces_come_in_turn) {
  LargeReview &a = review(), &b = review(), &c = review(), &d = review();
  want(a, "many 1", Pass::first, one_, 10s, "many");
  want(b, "many 2", Pass::first, one_, 10s, "many");
  want(c, "many 3", Pass::first, one_, 10s, "many");
  want(d, "one", Pass::first, other_, 10s, "one");
  give_back(a);
  give_back(b);
  give_back(d);
  EXPECT_EQ(told_, Names({"many 1", "many 2", "one", "many 3"}));
}

TEST(NamespaceOfAReview, is_the_one_that_an_api_server_writes_before_the_object) {
  struct Case {
    const char *review, *want;
  };
  for (const Case& each : {
           Case{R"({"request":{"uid":"u","name":"n","namespace":"ml","object":{}}})", "ml"},
           Case{R"({"request":{"name":"\"namespace\":\"no","namespace":"ml"}})", "ml"},
           Case{R"({"request":{"namespace":"ml)", "ml"},
           Case{R"({"request":{"namespace":7}})", ""},
           Case{"", ""},
       })
    EXPECT_EQ(namespace_of(each.review), each.want) << each.review;
  EXPECT_EQ(namespace_of(std::string(5000, ' ') + R"("namespace":"ml")"), "");
}

// Its worker id is written already.
TEST_F(LargeReviewsTest, come_first_in_their_second_pass) {
  LargeReview &a = review(), &b = review(), &c = review();
  want(a, "a", Pass::first, one_);
  want(b, "b", Pass::first, one_);
  want(c, "c", Pass::second, other_);
  give_back(a);
  EXPECT_EQ(told_, Names({"a", "c"}));
  give_back(c);
  EXPECT_EQ(told_, Names({"a", "c", "b"}));
}

TEST_F(LargeReviewsTest, wait_no_longer_than_their_callers) {
  LargeReview &a = review(), &b = review(), &c = review();
  want(a, "a", Pass::first, one_);
  want(b, "b", Pass::first, one_, 0ms);
  want(c, "c", Pass::first, one_);
  EXPECT_EQ(told_, Names({"a", "b not"}));
  give_back(a);
  EXPECT_EQ(told_, Names({"a", "b not", "c"}));
}

TEST_F(LargeReviewsTest, give_the_place_back_where_they_end) {
  LargeReview& b = review();
  {
    LargeReview a(all_);
    want(a, "a", Pass::first, one_);
    want(b, "b", Pass::first, other_);
  }
  turn();
  EXPECT_EQ(told_, Names({"a", "b"}));
  give_back(b);
  give_back(b);  // which it has not any more
  LargeReview c(all_), d(all_);
  want(c, "c", Pass::first, one_);
  want(d, "d", Pass::first, one_);
  EXPECT_EQ(told_, Names({"a", "b", "c"}));
}

}  // namespace
}  // namespace tpuwh::server::https
