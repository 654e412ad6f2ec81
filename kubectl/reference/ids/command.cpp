#include "kubectl/reference/ids/command.hpp"

#include "base/names.hpp"
#include "kubectl/reference/ids/doctor_rows.hpp"
#include "kubectl/reference/ids/explain_rows.hpp"
#include "kubectl/reference/ids/policy_rows.hpp"
#include "kubectl/reference/ids/webhook_rows.hpp"
#include "kubectl/text/json_line.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <vector>

namespace tpuwh::server::ids {

namespace {

// A row of any of the tables.
struct Entry {
  Row row;
  std::string_view by;     // who says it: "webhook", "audit"
  std::string_view cause;  // of the webhook's
};

std::string_view name_of(webhook::findings::Level level) {
  switch (level) {
    case webhook::findings::Level::off:
      return "off";
    case webhook::findings::Level::warn:
      return "warn";
    case webhook::findings::Level::deny:
      return "deny";
  }
  return "";
}

// In the order of the ids.
std::vector<Entry> all_entries() {
  std::vector<Entry> out;
  for (const auto& row : webhook::findings::table()) {
    const WebhookRow& words = words_of(row.finding);
    out.push_back(
        {{row.id, words.name, name_of(row.level), words.what, words.fix}, "webhook", words.cause});
  }
  for (const Row& row : rows::of_policy) out.push_back({row, "policy", {}});
  for (const Row& row : audit_rows) out.push_back({row, "audit", {}});
  for (const Row& row : explain_rows) out.push_back({row, "explain", {}});
  for (const Row& row : doctor_rows) out.push_back({row, "doctor", {}});
  return out;
}

Json to_json(const Entry& entry) {
  const Row& row = entry.row;
  return {{"id", row.id},     {"name", row.name},     {"by", entry.by}, {"default", row.level},
          {"what", row.what}, {"cause", entry.cause}, {"fix", row.fix}};
}

std::string as_text(const Entry& entry) {
  const Row& row = entry.row;
  const bool webhook = entry.by == "webhook";
  return fmt::format("{} {} ({} {})\n\n{}\n\n{}Fix: {}\n", row.id, row.name, row.level,
                     webhook ? "by default" : fmt::format("at most, by {}", entry.by), row.what,
                     webhook ? fmt::format("Cause: {}\n\n", entry.cause) : "", row.fix);
}

std::string table_of(const std::vector<Entry>& entries) {
  std::string out = fmt::format("{:<8} {:<5} {:<28} {}\n", "ID", "LEVEL", "NAME", "FOUND");
  for (const Entry& entry : entries)
    out += fmt::format("{:<8} {:<5} {:<28} {}\n", entry.row.id, entry.row.level, entry.row.name,
                       entry.row.what);
  return out;
}

// "TPU-405", "tpu-405", "405" or "job-too-few". A name may be that of two: "quota".
bool is_called(const Row& row, std::string_view text) {
  std::string id(text);
  std::ranges::transform(id, id.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return row.id == id || row.id.substr(row.id.find('-') + 1) == id || row.name == text;
}

}  // namespace

int run_findings(const FindingsOptions& options, const text::Console& console) {
  const bool json = options.output == FindingsOutput::json;
  std::vector<Entry> entries = all_entries();
  if (options.id.empty()) {
    if (!json) {
      console.out << text::Printed::trusted(table_of(entries));
      return 0;
    }
    Json all = Json::array();
    for (const Entry& each : entries) all.push_back(to_json(each));
    console.out << text::json_line(all, true);
    return 0;
  }
  std::erase_if(entries, [&](const Entry& each) { return !is_called(each.row, options.id); });
  if (entries.empty())
    return text::print_error(
        console, fmt::format("there is no finding {}; `kubectl tpu findings` lists them",
                             base::printable(options.id)));
  for (const Entry& each : entries)
    console.out << (json ? text::json_line(to_json(each), true)
                         : text::Printed::trusted((&each == &entries.front() ? "" : "\n") +
                                                  as_text(each)));
  return 0;
}

}  // namespace tpuwh::server::ids
