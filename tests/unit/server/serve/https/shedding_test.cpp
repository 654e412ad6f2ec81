#include "server/serve/https/shedding.hpp"

#include <gmock/gmock.h>

namespace tpuwh::server::https {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

Laggard laggard(const char* peer, int since, bool idle = false) {
  return {boost::asio::ip::make_address(peer), net::TimePoint(seconds(since)), idle};
}

TEST(SheddingTest, takes_the_oldest_of_one_address) {
  EXPECT_THAT(
      choose_to_shed({laggard("10.0.0.1", 3), laggard("10.0.0.1", 1), laggard("10.0.0.1", 2)}, 2),
      ElementsAre(1, 2));
}

TEST(SheddingTest, takes_from_the_address_with_most) {
  EXPECT_THAT(
      choose_to_shed({laggard("10.0.0.1", 0), laggard("10.0.0.2", 8), laggard("10.0.0.2", 9)}, 3),
      ElementsAre(1, 2))
      << "never more than that address has";
}

TEST(SheddingTest, spares_the_idle_while_there_are_others) {
  EXPECT_THAT(
      choose_to_shed(
          {laggard("10.0.0.1", 0, true), laggard("10.0.0.1", 1, true), laggard("10.0.0.2", 9)}, 3),
      ElementsAre(2));
}

TEST(SheddingTest, takes_the_idle_where_there_are_no_others) {
  EXPECT_THAT(choose_to_shed({laggard("10.0.0.1", 5, true), laggard("10.0.0.1", 4, true)}, 1),
              ElementsAre(1));
}

TEST(SheddingTest, takes_nobody_where_there_is_nobody) {
  EXPECT_THAT(choose_to_shed({}, 3), IsEmpty());
}

}  // namespace
}  // namespace tpuwh::server::https
