#include "kubectl/fixes/make.hpp"

#include <algorithm>

namespace tpuwh::server::fixes {

namespace {

bool has_text(const Steps& steps) {
  return std::ranges::all_of(steps, [](const Step& step) {
    const auto* command = std::get_if<Command>(&step);
    return command == nullptr || !command->text().empty();
  });
}

}  // namespace

Fix make_fix(const Tiers& ways, const std::string& id, const Said& before, const Trial& trial,
             std::string sentence) {
  const Fix choice = Choice{std::move(sentence)};
  std::vector<const Steps*> leads_on;  // to another finding
  for (const Tier& tier : ways) {
    if (tier.size() > max_ways) return choice;
    std::vector<const Steps*> holds;
    for (const Steps& steps : tier) {
      const auto said = has_text(steps) ? trial(steps) : std::nullopt;
      if (!said || said->verdict > before.verdict || said->ids.contains(id)) continue;
      const bool nothing_new = std::ranges::includes(before.ids, said->ids);
      (nothing_new ? holds : leads_on).push_back(&steps);
    }
    if (holds.size() == 1) return *holds.front();
    if (holds.size() > 1) return choice;
  }
  return leads_on.size() == 1 ? Fix(*leads_on.front()) : choice;
}

}  // namespace tpuwh::server::fixes
