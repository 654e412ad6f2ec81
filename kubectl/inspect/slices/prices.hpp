// What chips cost: by a file that the user gives, since nothing else here knows a price.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::slices {

inline constexpr double millionths_of_one = 1e6;
// Of a chip for an hour, at most.
inline constexpr double highest_price = 1'000'000;

struct Prices {
  std::string currency;  // as the file has it
  // Millionths of it for a chip and an hour, by accelerator: decimals that add up as on paper.
  std::map<std::string, double, std::less<>> millionths;

  // The same of so many chips; nothing where the file has no price of the accelerator.
  std::optional<double> of(std::string_view accelerator, std::uint64_t chips) const;
};

struct PricesFile {
  Prices prices;
  std::vector<std::string> problems;  // all of them: "prices.yaml:1: currency: is missing"
};

// YAML or JSON:
//
//   currency: USD             # any text
//   prices:                   # of a chip for an hour, by cloud.google.com/gke-tpu-accelerator
//     tpu-v6e-slice: 2.70     # at most six decimals
//
//   file  as a person calls it
PricesFile read_prices(const std::string& text, const std::string& file);

// "86.40", "<0.01".
std::string money(double millionths);

}  // namespace tpuwh::server::slices
