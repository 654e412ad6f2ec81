#include "topology/accelerator.hpp"

#include "base/edit_distance.hpp"
#include "base/result.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <string>
#include <vector>

namespace tpuwh::topology {

namespace {

// "TPU v6e", "tpu-v6e" and "V6E" are one name.
std::string key_of(std::string_view text) {
  std::string key;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      key += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      key += c;
    }
  }
  return key.starts_with("tpu") && key.size() > 3 ? key.substr(3) : key;
}

auto digits_of(std::string_view text) {
  return text | std::views::filter([](char c) { return c >= '0' && c <= '9'; });
}

struct Name {
  std::string key;
  const Generation* generation;
  const MachineType* machine = nullptr;
};

// Every name there is, the more particular first: v3 is the prefix of two labels, and an alias of
// one.
std::vector<Name> all_names() {
  std::vector<Name> names;
  for (const Generation& row : generations())
    for (const auto alias : row.aliases) names.push_back({key_of(alias), &row});
  for (const Generation& row : generations()) {
    for (const auto name : {row.label, row.id, row.type_prefix, row.name}) {
      names.push_back({key_of(name), &row});
    }
    for (const MachineType& machine : row.machine_types) {
      names.push_back({key_of(machine.name), &row, &machine});
    }
  }
  return names;
}

std::optional<Accelerator> find_name(std::string_view text) {
  const auto names = all_names();
  const auto found = std::ranges::find(names, key_of(text), &Name::key);
  if (found == names.end() || found->key.empty()) return std::nullopt;
  return Accelerator{.generation = found->generation, .cores = {}, .machine = found->machine};
}

// "TPU 8t (announced 2026-04-22), ..." of which `text` is the name or its beginning; else "".
std::string announced_as(std::string_view text) {
  std::string key = key_of(text);
  if (key.starts_with('v')) key.erase(0, 1);
  std::string out;
  for (const auto& [name, date] : announced())
    if (!key.empty() && key_of(name).starts_with(key))
      out +=
          (out.empty() ? "" : ", ") + std::string(name) + " (announced " + std::string(date) + ")";
  return out;
}

Error unknown_accelerator(std::string_view text) {
  std::string labels;
  for (const Generation& row : generations()) {
    labels += (labels.empty() ? "" : ", ") + std::string(row.label);
  }
  if (const std::string known = announced_as(text); !known.empty())
    return Error(base::Errc::bad_value, known +
                                            ": no GKE label, machine type or topology is known to "
                                            "this release. Known: " +
                                            labels);
  const Generation* guess = nearest_accelerator(text);
  const std::string hint =
      guess == nullptr ? "." : "; did you mean \"" + std::string(guess->label) + "\"?";
  return Error(base::Errc::bad_value,
               "unknown accelerator \"" + std::string(text) + "\"" + hint + " Known: " + labels);
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

const Generation* nearest_accelerator(std::string_view text) {
  const std::string key = key_of(text);
  const Generation* best = nullptr;
  std::size_t least = std::min<std::size_t>(2, key.size() / 2) + 1;
  for (const Name& name : all_names()) {
    // A label of the user's may have millions of letters: no name is near to that.
    if (key.size() >= name.key.size() + least) continue;
    const bool begun = key.size() > 1 && name.key.starts_with(key);
    // v9 is not a misspelled v3: it is a generation that is not known here.
    if (!begun && !std::ranges::equal(digits_of(key), digits_of(name.key))) continue;
    const std::size_t letters = begun ? 0 : base::edit_distance(key, name.key);
    if (letters < least) {
      least = letters;
      best = name.generation;
    }
  }
  return best;
}

Result<Accelerator> find_accelerator(std::string_view text) {
  if (const auto accelerator = find_name(text)) return *accelerator;
  if (const auto accelerator = by_accelerator_type(text)) return *accelerator;
  return unknown_accelerator(text);
}

}  // namespace tpuwh::topology
