#include "kubectl/inspect/doctor/metric_lines.hpp"

#include <optional>
#include <sstream>

namespace tpuwh::server::doctor {

namespace {

constexpr std::string_view resource_label = "{resource=\"";

// `rest` is what stands behind the name.
std::optional<MetricLine> read_line(std::string_view rest) {
  std::string resource;
  if (rest.starts_with(resource_label)) {
    rest.remove_prefix(resource_label.size());
    const auto quote = rest.find('"');
    const auto space = rest.rfind(' ');
    if (quote == std::string_view::npos || space == std::string_view::npos || space < quote)
      return std::nullopt;
    resource = rest.substr(0, quote);
    rest.remove_prefix(space);
  }
  if (!rest.starts_with(' ')) return std::nullopt;
  std::istringstream number{std::string(rest)};
  double value = 0;
  if (!(number >> value)) return std::nullopt;
  return MetricLine{std::move(resource), value};
}

}  // namespace

std::vector<MetricLine> lines_of(const Replica& replica, std::string_view name) {
  std::vector<MetricLine> found;
  if (!replica.metrics.there() || !replica.metrics.object.is_string()) return found;
  std::istringstream text(replica.metrics.object.get<std::string>());
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with(name)) continue;
    if (auto read = read_line(std::string_view(line).substr(name.size())))
      found.push_back(std::move(*read));
  }
  return found;
}

}  // namespace tpuwh::server::doctor
