#include "kubectl/inspect/slices/print_tally.hpp"

#include "base/counted.hpp"
#include "kubectl/print/table.hpp"
#include "topology/accelerator.hpp"
#include "topology/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tpuwh::server::slices {

namespace {

// No namespace and no label value has a parenthesis.
constexpr auto no_value = "(none)";
constexpr auto in_total = "(total)";

// "3 running, 1 broken"; "" for none.
std::string by_phase(const ByPhase& numbers) {
  std::string out;
  for (const Phase phase : all_phases)
    if (numbers[phase] > 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", numbers[phase], name(phase));
  return out;
}

// "24 running", "28: 24 running, 4 forming", "0".
std::string held_text(const ByPhase& numbers) {
  const std::string parts = by_phase(numbers);
  if (parts.empty()) return "0";
  return parts.find(',') == std::string::npos ? parts : fmt::format("{}: {}", numbers.sum(), parts);
}

std::string value_text(const std::optional<std::string>& value) {
  if (!value) return no_value;
  return value->empty() ? "\"\"" : *value;
}

// Of all accelerators together.
struct Cost {
  double priced = 0;           // millionths, of those with a price
  bool any = false;            // has a price, of what is held
  std::uint64_t unpriced = 0;  // chips in use of those without
};

Cost cost_of(const TallyPage& page) {
  Cost out;
  for (const TallyRow& each : page.tally.totals) {
    const std::uint64_t chips = each.counts.held.sum();
    const auto amount = page.prices->of(each.accelerator, chips);
    out.priced += amount.value_or(0);
    out.any = out.any || (amount && chips > 0);
    if (!amount) out.unpriced += chips;
  }
  return out;
}

std::vector<std::string> without_price(const TallyPage& page) {
  std::vector<std::string> out;
  if (page.prices == nullptr) return out;
  for (const TallyRow& each : page.tally.totals)
    if (!page.prices->millionths.contains(each.accelerator)) out.push_back(each.accelerator);
  return out;
}

// A price that the file may have for it under another name: " (the file has v6e)".
std::string other_name(const Prices& prices, const std::string& accelerator) {
  for (const auto& [name, price] : prices.millionths) {
    const auto* meant =
        topology::find_generation(name) == nullptr ? topology::nearest_accelerator(name) : nullptr;
    if (meant != nullptr && meant->label == accelerator)
      return fmt::format(" (the file has {})", name);
  }
  return {};
}

std::string in_currency(const TallyPage& page, double amount) {
  return fmt::format("{} {}", money(amount), page.prices->currency);
}

std::string row_cost(const TallyPage& page, const TallyRow& row) {
  const auto amount = page.prices->of(row.accelerator, row.counts.held.sum());
  return amount ? in_currency(page, *amount) : "no price";
}

std::string total_cost(const TallyPage& page) {
  const Cost cost = cost_of(page);
  if (cost.unpriced == 0) return in_currency(page, cost.priced);
  if (!cost.any) return "no price";
  return fmt::format("{} without {}", in_currency(page, cost.priced),
                     base::counted(cost.unpriced, "chip"));
}

void add_row(const TallyPage& page, const std::string& first, const std::string& accelerator,
             const Counts& counts, const std::string& cost, print::Table& table) {
  print::Table::Row row = {first, accelerator.empty() ? "-" : accelerator, by_phase(counts.slices),
                           held_text(counts.held), std::to_string(counts.waiting)};
  if (page.prices != nullptr) row.push_back(cost);
  table.add(std::move(row));
}

print::Table table_of(const TallyPage& page) {
  print::Table::Row header = {page.label.empty() ? "NAMESPACE" : page.label, "ACCELERATOR",
                              "SLICES", "CHIPS HELD", "CHIPS WAITING"};
  if (page.prices != nullptr) header.push_back("AN HOUR");
  print::Table table(std::move(header));
  const bool priced = page.prices != nullptr;
  for (const TallyRow& each : page.tally.rows)
    add_row(page, value_text(each.value), each.accelerator, each.counts,
            priced ? row_cost(page, each) : "", table);
  for (const TallyRow& each : page.tally.totals)
    add_row(page, in_total, each.accelerator, each.counts, priced ? row_cost(page, each) : "",
            table);
  if (page.tally.totals.size() > 1)
    add_row(page, in_total, "all", page.tally.total, priced ? total_cost(page) : "", table);
  return table;
}

text::Printed below_text(const TallyPage& page) {
  text::Printed out;
  const auto has_value = [](const TallyRow& row) { return row.value.has_value(); };
  if (!page.label.empty() && !page.tally.rows.empty() &&
      std::ranges::none_of(page.tally.rows, has_value))
    out += text::printed("no TPU Pod has label {}\n", page.label);
  if (page.tally.slices_in_several > 0)
    out += text::printed("{}: in several rows, once in the total\n",
                         base::counted(page.tally.slices_in_several, "slice"));
  for (const std::string& each : without_price(page))
    out += text::printed("no price: {}{}\n",
                         each.empty() ? "Pods whose accelerator is not known" : each,
                         other_name(*page.prices, each));
  for (const std::string& each : page.cluster.unreadable)
    out += text::printed("not known: {}\n", each);
  return out;
}

void add_phases(const ByPhase& numbers, Json& out) {
  for (const Phase phase : all_phases) out[std::string(name(phase))] = numbers[phase];
}

Json counts_json(const Counts& counts) {
  Json slices, chips;
  add_phases(counts.slices, slices);
  chips["held"] = counts.held.sum();
  add_phases(counts.held, chips);
  chips["waiting"] = counts.waiting;
  return {{"slices", std::move(slices)}, {"chips", std::move(chips)}};
}

Json amount_json(const std::optional<double>& millionths) {
  return millionths ? Json(*millionths / millionths_of_one) : Json();
}

Json row_json(const TallyPage& page, const TallyRow& row) {
  const auto* generation = topology::find_generation(row.accelerator);
  const auto amount = page.prices == nullptr
                          ? std::nullopt
                          : page.prices->of(row.accelerator, row.counts.held.sum());
  Json out = {{"accelerator", row.accelerator},
              {"generation", generation == nullptr ? Json() : Json(generation->id)}};
  out.update(counts_json(row.counts));
  out["perHour"] = amount_json(amount);
  return out;
}

Json total_json(const TallyPage& page) {
  Json out = counts_json(page.tally.total);
  out["perHour"] = nullptr;
  if (page.prices == nullptr) return out;
  if (const Cost cost = cost_of(page); cost.unpriced == 0)
    out["perHour"] = amount_json(cost.priced);
  return out;
}

}  // namespace

text::Printed tally_text(const TallyPage& page, bool colour) {
  text::Printed below = below_text(page);
  if (page.tally.rows.empty()) return text::Printed("no Pod asks for google.com/tpu\n") + below;
  text::Printed out = table_of(page).text(colour);
  if (!below.empty()) out += text::Printed("\n") + below;
  return out;
}

Json tally_json(const TallyPage& page) {
  Json rows = Json::array(), totals = Json::array();
  for (const TallyRow& each : page.tally.rows) {
    Json row = {{"value", each.value ? Json(*each.value) : Json()}};
    row.update(row_json(page, each));
    rows.push_back(std::move(row));
  }
  for (const TallyRow& each : page.tally.totals) totals.push_back(row_json(page, each));
  return {{"by", page.label.empty() ? "namespace" : "label"},
          {"label", page.label.empty() ? Json() : Json(page.label)},
          {"rows", std::move(rows)},
          {"totals", std::move(totals)},
          {"total", total_json(page)},
          {"slicesInSeveralRows", page.tally.slices_in_several},
          {"currency", page.prices == nullptr ? Json() : Json(page.prices->currency)},
          {"withoutPrice", without_price(page)},
          {"notKnown", page.cluster.unreadable}};
}

}  // namespace tpuwh::server::slices
