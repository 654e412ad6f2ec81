#include "server/tls/expiry.hpp"

#include "server/limits/limits.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::tls {
namespace {

using namespace std::chrono_literals;
using Word = Expiry::Word;
using std::chrono::hours;

const SystemTime begin = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
const SystemTime the_end = begin + hours(24 * 90);

TEST(ExpiryTest, says_each_change_once) {
  Expiry expiry;
  EXPECT_EQ(expiry.look(begin, the_end, begin), Word::none);
  EXPECT_EQ(expiry.look(begin, the_end, the_end - limits::certificate_soon - 1s), Word::none);
  EXPECT_EQ(expiry.look(begin, the_end, the_end - limits::certificate_soon), Word::ends_soon);
  EXPECT_EQ(expiry.look(begin, the_end, the_end - limits::certificate_soon + 1s), Word::none);
  EXPECT_EQ(expiry.look(begin, the_end, the_end), Word::expired);
  EXPECT_EQ(expiry.look(begin, the_end, the_end + 1s), Word::none);
  EXPECT_EQ(expiry.look(the_end, the_end + hours(24 * 90), the_end + 2s), Word::good_again);
  EXPECT_EQ(expiry.look(the_end, the_end + hours(24 * 90), the_end + 3s), Word::none);
}

TEST(ExpiryTest, says_it_again_every_six_hours) {
  Expiry expiry;
  int said = 0;
  for (SystemTime now = the_end; now < the_end + 24h; now += 1min)
    said += expiry.look(begin, the_end, now) == Word::expired ? 1 : 0;
  EXPECT_EQ(said, 4);
}

TEST(ExpiryTest, of_a_short_life_soon_is_its_last_quarter) {
  Expiry expiry;
  EXPECT_EQ(expiry.look(begin, begin + 1h, begin + 44min), Word::none);
  EXPECT_EQ(expiry.look(begin, begin + 1h, begin + 45min), Word::ends_soon);
}

TEST(ExpiryTest, lives_with_the_ends_of_the_clock) {
  Expiry expiry;
  EXPECT_EQ(expiry.look(SystemTime::min(), SystemTime::max(), begin), Word::none);
  EXPECT_EQ(expiry.look(begin, SystemTime::max(), begin), Word::none);
  EXPECT_EQ(expiry.look(SystemTime::min(), the_end, the_end), Word::expired);
  EXPECT_EQ(expiry.look(SystemTime::max(), SystemTime::min(), begin), Word::expired);
}

}  // namespace
}  // namespace tpuwh::server::tls
