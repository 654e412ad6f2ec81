#include "kubectl/inspect/slices/prices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::slices {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Prices, are_read_and_multiplied_as_on_paper) {
  const PricesFile file = read_prices(
      "currency: USD\nprices:\n  tpu-v6e-slice: 2.70\n  tpu-v5p-slice: 0.1\n  tpu-v4-podslice: 0\n",
      "p.yaml");
  EXPECT_THAT(file.problems, IsEmpty());
  EXPECT_EQ(file.prices.currency, "USD");
  EXPECT_EQ(file.prices.of("tpu-v6e-slice", 12), 32'400'000.0);
  EXPECT_EQ(file.prices.of("tpu-v5p-slice", 3), 300'000.0);
  EXPECT_EQ(file.prices.of("tpu-v4-podslice", 3), 0.0);
  EXPECT_EQ(file.prices.of("tpu7x", 3), std::nullopt);
}

TEST(Prices, may_be_json) {
  EXPECT_THAT(read_prices(R"({"currency":"CHF","prices":{"tpu7x":1.234567}})", "p.json").problems,
              IsEmpty());
}

TEST(Money, has_two_decimals_and_is_never_nothing) {
  EXPECT_EQ(money(32'400'000), "32.40");
  EXPECT_EQ(money(0), "0.00");
  EXPECT_EQ(money(4'000), "<0.01");
  EXPECT_EQ(money(1e15), "1000000000.00");
}

std::string priced(const std::string& price) {
  return "currency: USD\nprices:\n  tpu7x: " + price + "\n";
}

TEST(BadPricesFiles, are_told_with_their_line) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "p.yaml:1: expected a mapping of currency and prices"},
      {"- 1\n", "p.yaml:1: expected a mapping of currency and prices"},
      {"prices:\n  tpu7x: 1\n", "p.yaml:1: currency: is missing; expected a text such as USD"},
      {"currency: 5\nprices:\n  tpu7x: 1\n", "p.yaml:1: currency: expected a text such as USD"},
      {"currency: a-currency-of-many-letters\nprices: {tpu7x: 1}\n",
       "p.yaml:1: currency: expected 1 to 16 bytes"},
      {"currency: USD\n",
       "p.yaml:1: prices: expected a mapping of accelerators to the price of a chip for "
       "an hour, such as tpu-v6e-slice: 2.70"},
      {"currency: USD\nprice: 3\nprices: {tpu7x: 1}\n",
       "p.yaml:2: price: unknown key; did you mean \"prices\"?"},
      {priced("0.0000001"), "p.yaml:3: prices.tpu7x: expected at most six decimals"},
      {priced("1\n  tpu7x: 2"), "p.yaml:4: duplicate key tpu7x"},
  };
  for (const auto& [text, want] : cases)
    EXPECT_THAT(read_prices(text, "p.yaml").problems, ElementsAre(want)) << text;
  for (const char* no_price : {"$2.70", "2,70", "\"2.70\"", "-1", ".nan", "1e400", "1000001"})
    EXPECT_THAT(read_prices(priced(no_price), "p.yaml").problems,
                ElementsAre("p.yaml:3: prices.tpu7x: expected a number from 0 to 1000000, without "
                            "a currency"))
        << no_price;
}

}  // namespace
}  // namespace tpuwh::server::slices
