#include "server/tools/reference/ids/command.hpp"

#include "base/names.hpp"
#include "server/text/json_line.hpp"
#include "server/text/json_text.hpp"
#include "webhook/findings/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <ostream>

namespace tpuwh::server::ids {

namespace {

using webhook::findings::Level;
using webhook::findings::Row;
using Json = nlohmann::ordered_json;

std::string_view name_of(Level level) {
  switch (level) {
    case Level::off:
      return "off";
    case Level::warn:
      return "warn";
    case Level::deny:
      return "deny";
  }
  return "";
}

Json to_json(const Row& row) {
  return {{"id", row.id},     {"name", row.name},   {"default", name_of(row.level)},
          {"what", row.what}, {"cause", row.cause}, {"fix", row.fix}};
}

std::string as_text(const Row& row) {
  return fmt::format("{} {} ({} by default)\n\n{}\n\nCause: {}\n\nFix: {}\n", row.id, row.name,
                     name_of(row.level), row.what, row.cause, row.fix);
}

std::string table_of_all() {
  std::string out = fmt::format("{:<8} {:<5} {:<28} {}\n", "ID", "LEVEL", "NAME", "FOUND");
  for (const Row& row : webhook::findings::table())
    out += fmt::format("{:<8} {:<5} {:<28} {}\n", row.id, name_of(row.level), row.name, row.what);
  return out;
}

// "TPU-405", "tpu-405", "405" or "job-too-few".
const Row* find(std::string_view text) {
  std::string id(text);
  std::ranges::transform(id, id.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const Row& row : webhook::findings::table())
    if (row.id == id || row.id.substr(row.id.find('-') + 1) == id || row.name == text) return &row;
  return nullptr;
}

}  // namespace

int run_findings(const FindingsOptions& options, const text::Console& console) {
  const bool json = options.output == FindingsOutput::json;
  if (options.id.empty()) {
    if (!json) {
      console.out << text::Printed::trusted(table_of_all());
      return 0;
    }
    Json all = Json::array();
    for (const Row& row : webhook::findings::table()) all.push_back(to_json(row));
    console.out << text::json_line(all, true);
    return 0;
  }
  const Row* row = find(options.id);
  if (row == nullptr)
    return text::print_error(
        console, fmt::format("there is no finding {}; `kubectl tpu findings` lists them",
                             base::printable(options.id)));
  console.out << (json ? text::json_line(to_json(*row), true)
                       : text::Printed::trusted(as_text(*row)));
  return 0;
}

}  // namespace tpuwh::server::ids
