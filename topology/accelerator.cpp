#include "topology/accelerator.hpp"

#include "base/edit_distance.hpp"

#include <algorithm>
#include <ranges>

namespace tpuwh::topology {

namespace {

auto digits_of(std::string_view text) {
  return text | std::views::filter([](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string accelerator_key(std::string_view text) {
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

std::vector<AcceleratorName> accelerator_names() {
  std::vector<AcceleratorName> names;
  for (const Generation& row : generations())
    for (const auto alias : row.aliases) names.push_back({accelerator_key(alias), &row});
  for (const Generation& row : generations()) {
    for (const auto name : {row.label, row.id, row.type_prefix, row.name}) {
      names.push_back({accelerator_key(name), &row});
    }
    for (const MachineType& machine : row.machine_types) {
      names.push_back({accelerator_key(machine.name), &row, &machine});
    }
  }
  return names;
}

const Generation* nearest_accelerator(std::string_view text) {
  const std::string key = accelerator_key(text);
  const Generation* best = nullptr;
  std::size_t least = std::min<std::size_t>(2, key.size() / 2) + 1;
  for (const AcceleratorName& name : accelerator_names()) {
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

}  // namespace tpuwh::topology
