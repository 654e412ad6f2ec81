#include "server/serve/https/date.hpp"

#include <gtest/gtest.h>

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

TEST(DateTest, is_there_from_the_beginning) {
  EXPECT_TRUE(Date().text().ends_with(" GMT"));
}

}  // namespace
}  // namespace tpuwh::server::https
