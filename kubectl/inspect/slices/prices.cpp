#include "kubectl/inspect/slices/prices.hpp"

#include "base/names.hpp"
#include "kubectl/text/near_miss.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tpuwh::server::slices {

namespace {

using Pointer = Json::json_pointer;

constexpr std::size_t longest_currency = 16, longest_key = 63;

class Reader {
 public:
  Reader(const text::LocatedYaml& document, const std::string& file)
      : document_(document), file_(file) {}

  PricesFile run() {
    for (const text::YamlProblem& each : document_.problems) add_problem(each.line, each.what);
    if (!out_.problems.empty()) return std::move(out_);
    const Json& root = document_.value;
    if (!root.is_object()) {
      problem("", "expected a mapping of currency and prices");
      return std::move(out_);
    }
    for (const auto& [key, value] : root.items()) check_key(key);
    read_currency(text::member(root, "currency"));
    read_all(text::member(root, "prices"));
    return std::move(out_);
  }

 private:
  void add_problem(int line, std::string_view what) {
    out_.problems.push_back(fmt::format("{}:{}: {}", file_, line, what));
  }

  // Of a value of the root, or of one in `prices`.
  void problem(const std::string& key, std::string_view what, const std::string& price = {}) {
    Pointer at;
    if (!key.empty()) at /= key;
    if (!price.empty()) at /= price;
    std::string path = base::printable(key, longest_key);
    if (!price.empty()) path += '.' + base::printable(price, longest_key);
    add_problem(document_.line(at.to_string()),
                path.empty() ? std::string(what) : fmt::format("{}: {}", path, what));
  }

  void check_key(const std::string& key) {
    static const std::array<std::string, 2> keys = {"currency", "prices"};
    if (std::ranges::find(keys, key) == keys.end())
      problem(key, "unknown key" + text::did_you_mean(text::closest(key, keys)));
  }

  void read_currency(const Json& value) {
    if (value.is_null()) return problem("currency", "is missing; expected a text such as USD");
    if (!value.is_string()) return problem("currency", "expected a text such as USD");
    out_.prices.currency = value.get<std::string>();
    if (out_.prices.currency.empty() || out_.prices.currency.size() > longest_currency)
      problem("currency", fmt::format("expected 1 to {} bytes", longest_currency));
  }

  void read_all(const Json& prices) {
    if (!prices.is_object() || prices.empty())
      return problem("prices",
                     "expected a mapping of accelerators to the price of a chip for an "
                     "hour, such as tpu-v6e-slice: 2.70");
    for (const auto& [accelerator, price] : prices.items()) read_one(accelerator, price);
  }

  void read_one(const std::string& accelerator, const Json& price) {
    const double value = price.is_number() ? price.get<double>() : -1;
    if (!(value >= 0 && value <= highest_price))
      return problem(
          "prices",
          fmt::format("expected a number from 0 to {:.0f}, without a currency", highest_price),
          accelerator);
    const double millionths = std::round(value * millionths_of_one);
    if (std::abs(value * millionths_of_one - millionths) > 1e-3)
      return problem("prices", "expected at most six decimals", accelerator);
    out_.prices.millionths[accelerator] = millionths;
  }

  const text::LocatedYaml& document_;
  const std::string& file_;
  PricesFile out_;
};

}  // namespace

std::optional<double> Prices::of(std::string_view accelerator, std::uint64_t chips) const {
  const auto found = millionths.find(accelerator);
  if (found == millionths.end()) return std::nullopt;
  return static_cast<double>(chips) * found->second;
}

PricesFile read_prices(const std::string& text, const std::string& file) {
  const text::LocatedYaml document = text::parse_located_yaml(text);
  return Reader(document, file).run();
}

std::string money(double millionths) {
  const double amount = millionths / millionths_of_one;
  return amount > 0 && amount < 0.01 ? "<0.01" : fmt::format("{:.2f}", amount);
}

}  // namespace tpuwh::server::slices
