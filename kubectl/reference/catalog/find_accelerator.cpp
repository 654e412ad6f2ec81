#include "kubectl/reference/catalog/find_accelerator.hpp"

#include "base/result.hpp"
#include "topology/accelerator.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace tpuwh::server::catalog {

namespace {

std::optional<Accelerator> find_name(std::string_view text) {
  const auto names = topology::accelerator_names();
  const auto found =
      std::ranges::find(names, topology::accelerator_key(text), &topology::AcceleratorName::key);
  if (found == names.end() || found->key.empty()) return std::nullopt;
  return Accelerator{.generation = found->generation, .cores = {}, .machine = found->machine};
}

// "TPU 8t (announced 2026-04-22), ..." of which `text` is the name or its beginning; else "".
std::string announced_as(std::string_view text) {
  std::string key = topology::accelerator_key(text);
  if (key.starts_with('v')) key.erase(0, 1);
  std::string out;
  for (const auto& [name, date] : topology::announced())
    if (!key.empty() && topology::accelerator_key(name).starts_with(key))
      out +=
          (out.empty() ? "" : ", ") + std::string(name) + " (announced " + std::string(date) + ")";
  return out;
}

Error unknown_accelerator(std::string_view text) {
  std::string labels;
  for (const topology::Generation& row : topology::generations()) {
    labels += (labels.empty() ? "" : ", ") + std::string(row.label);
  }
  if (const std::string known = announced_as(text); !known.empty())
    return bad_value(known +
                     ": no GKE label, machine type or topology is known to "
                     "this release. Known: " +
                     labels);
  const topology::Generation* guess = topology::nearest_accelerator(text);
  const std::string hint =
      guess == nullptr ? "." : "; did you mean \"" + std::string(guess->label) + "\"?";
  return bad_value("unknown accelerator \"" + std::string(text) + "\"" + hint +
                   " Known: " + labels);
}

// "v6e-16": the name before the last hyphen, the number behind it.
std::optional<Accelerator> by_accelerator_type(std::string_view text) {
  const auto hyphen = text.rfind('-');
  if (hyphen == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(hyphen + 1);
  std::uint64_t cores = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), cores);
  if (status != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  auto accelerator = find_name(text.substr(0, hyphen));
  if (!accelerator || accelerator->machine != nullptr) return std::nullopt;
  accelerator->cores = cores;
  return accelerator;
}

}  // namespace

Result<Accelerator> find_accelerator(std::string_view text) {
  if (const auto accelerator = find_name(text)) return *accelerator;
  if (const auto accelerator = by_accelerator_type(text)) return *accelerator;
  return unknown_accelerator(text);
}

}  // namespace tpuwh::server::catalog
