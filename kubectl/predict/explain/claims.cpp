#include "kubectl/predict/explain/claims.hpp"

#include "base/counted.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

namespace {

using Words = std::vector<std::string>;

using webhook::read::key::tpu_class;

// Names of the Pod's claims that containers use.
std::set<std::string> used_claims(const Json& pod) {
  std::set<std::string> out;
  for (const char* list : {"containers", "initContainers"})
    for (const Json& each : at(pod, {"spec", list}))
      for (const Json& use : at(each, {"resources", "claims"}))
        out.insert(text::text_member(use, "name"));
  return out;
}

// A class of another name is of chips where the input has it and it selects the driver's devices.
bool is_of_chips(const Json& request, const Surroundings& beside) {
  const std::string name = text::text_member(request, "deviceClassName");
  if (name == tpu_class) return true;
  const Json* found = beside.find("DeviceClass", "", name);
  if (found == nullptr) return false;
  return std::ranges::any_of(at(*found, {"spec", "selectors"}), [](const Json& each) {
    return text::text_member(at(each, {"cel"}), "expression").find(tpu_class) != std::string::npos;
  });
}

// "all chips of a node"; "" where it is for other devices.
std::string asked(const Json& request, const Surroundings& beside) {
  const Json& several = text::member(request, "firstAvailable");
  if (several.is_array()) {
    Words names;
    for (const Json& each : several)
      if (is_of_chips(each, beside)) names.push_back(text::text_member(each, "name"));
    if (names.empty()) return {};
    return fmt::format("chips of the first available of {}", fmt::join(names, ", "));
  }
  const Json& exactly = text::member(request, "exactly");
  const Json& wanted = exactly.is_object() ? exactly : request;
  if (!is_of_chips(wanted, beside)) return {};
  if (text::text_member(wanted, "allocationMode") == "All") return "all chips of a node";
  const Json& count = text::member(wanted, "count");
  return base::counted(count.is_number_unsigned() ? count.get<std::uint64_t>() : 1, "chip");
}

Words asked_of(const Json& spec, const Surroundings& beside) {
  Words out;
  for (const Json& each : at(spec, {"devices", "requests"}))
    if (std::string words = asked(each, beside); !words.empty()) out.push_back(std::move(words));
  return out;
}

// What one entry of spec.resourceClaims is for, in words; nothing where it is for no chips.
std::optional<Claimed> claimed(const Json& pod, const Json& claim, const Surroundings& beside) {
  const std::string ns = text::text_member(at(pod, {"metadata"}), "namespace");
  const std::string of_template = text::text_member(claim, "resourceClaimTemplateName");
  const bool made = !of_template.empty();
  const std::string name = made ? of_template : text::text_member(claim, "resourceClaimName");
  const std::string which =
      fmt::format("{} {}", made ? "ResourceClaimTemplate" : "ResourceClaim", name);
  const Json* found = beside.find(made ? "ResourceClaimTemplate" : "ResourceClaim", ns, name);
  if (found == nullptr)
    return Claimed{.chips = false, .words = fmt::format("{} is not in the input", which)};
  const Words words = asked_of(made ? at(*found, {"spec", "spec"}) : at(*found, {"spec"}), beside);
  if (words.empty()) return std::nullopt;
  return Claimed{.chips = true,
                 .words = fmt::format("{} by {}{}", fmt::join(words, " and "), which,
                                      made ? "" : ", which all Pods that name it share")};
}

// " (2x2 on tpu-v6e-slice)", as far as the Pod selects its nodes.
std::string nodes_of(const Json& pod) {
  namespace key = webhook::read::key;
  const std::string topology = selector(pod, key::topology);
  const std::string accelerator = selector(pod, key::accelerator);
  if (topology.empty() && accelerator.empty()) return {};
  if (topology.empty()) return fmt::format(" ({})", accelerator);
  return accelerator.empty() ? fmt::format(" ({})", topology)
                             : fmt::format(" ({} on {})", topology, accelerator);
}

}  // namespace

std::optional<Claimed> claimed_chips(const Json& pod, const Surroundings& beside) {
  const std::set<std::string> used = used_claims(pod);
  Words known, not_known;
  for (const Json& each : at(pod, {"spec", "resourceClaims"})) {
    if (!used.contains(text::text_member(each, "name"))) continue;
    const auto found = claimed(pod, each, beside);
    if (found) (found->chips ? known : not_known).push_back(found->words);
  }
  const std::string nodes = nodes_of(pod);
  if (!known.empty())
    return Claimed{.chips = true,
                   .words = fmt::format(
                       "asks for {}{}; the number of chips is not known, and nothing is injected",
                       fmt::join(known, " and "), nodes)};
  if (not_known.empty()) return std::nullopt;
  return Claimed{.chips = false,
                 .words = fmt::format("has resource claims{}; whether they are for chips is not "
                                      "known ({}), and nothing is injected",
                                      nodes, fmt::join(not_known, ", "))};
}

std::string unread_resource(const Json& pod, const Surroundings& beside) {
  for (const char* list : {"containers", "initContainers"})
    for (const Json& container : at(pod, {"spec", list}))
      for (const char* amounts : {"limits", "requests"})
        for (const auto& [name, amount] : at(container, {"resources", amounts}).items())
          if (is_of_chips({{"deviceClassName", beside.class_of_resource(name)}}, beside))
            return name;
  return {};
}

Words named_claims(const Json& pod, const Surroundings& beside) {
  const std::set<std::string> used = used_claims(pod);
  const std::string ns = text::text_member(at(pod, {"metadata"}), "namespace");
  Words out;
  for (const Json& each : at(pod, {"spec", "resourceClaims"})) {
    const std::string name = text::text_member(each, "resourceClaimName");
    if (name.empty() || !used.contains(text::text_member(each, "name"))) continue;
    const Json* found = beside.find("ResourceClaim", ns, name);
    if (found != nullptr && !asked_of(at(*found, {"spec"}), beside).empty()) out.push_back(name);
  }
  return out;
}

}  // namespace tpuwh::server::explain
