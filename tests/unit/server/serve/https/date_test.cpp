#include "server/serve/https/date.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tpuwh::server::https {
namespace {

using namespace std::chrono_literals;

TEST(DateTest, is_the_text_of_the_rfc) {
  Date date;
  const auto example = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + 8h + 49min + 37s;
  date.set(example + 900ms);
  EXPECT_EQ(date.text(), "Sun, 06 Nov 1994 08:49:37 GMT");
  date.set(std::chrono::sys_days(std::chrono::year(2028) / 2 / 29));
  EXPECT_EQ(date.text(), "Tue, 29 Feb 2028 00:00:00 GMT");
}

TEST(DateTest, names_each_month_and_each_day) {
  Date date;
  std::string months, days;
  for (unsigned month = 1; month <= 12; ++month) {
    date.set(std::chrono::sys_days(std::chrono::year(2026) / std::chrono::month(month) / 1));
    months += date.text().substr(8, 3);
  }
  for (unsigned day = 1; day <= 7; ++day) {
    date.set(std::chrono::sys_days(std::chrono::year(2026) / 11 / std::chrono::day(day)));
    days += date.text().substr(0, 3);
  }
  EXPECT_EQ(months, "JanFebMarAprMayJunJulAugSepOctNovDec");
  EXPECT_EQ(days, "SunMonTueWedThuFriSat");
}

TEST(DateTest, is_there_from_the_beginning) {
  EXPECT_TRUE(Date().text().ends_with(" GMT"));
}

}  // namespace
}  // namespace tpuwh::server::https
