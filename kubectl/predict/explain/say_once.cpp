#include "kubectl/predict/explain/say_once.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::explain {

namespace {

// The Pods' sentence says what it comes to, too.
std::string_view core_of(std::string_view sentence) {
  constexpr std::string_view end = "; nothing was injected";
  if (sentence.ends_with(end)) sentence.remove_suffix(end.size());
  return sentence;
}

// "spec.template.spec.containers[0]: …" of the object, "spec.containers[0]: …" of the Pod;
// "worker template: …" of the object.
bool says_the_same(const Finding& object, const Finding& pods) {
  const bool one_kind = object.denied == pods.denied &&
                        (object.id == pods.id || (object.denied && object.id.empty()));
  return one_kind && pods.pods > 0 && !pods.sentence.empty() &&
         object.sentence.find(core_of(pods.sentence)) != std::string::npos;
}

// Each with each: where there are so many nobody reads on, and to say it twice is no fault.
constexpr std::size_t most_comparisons = 1'000'000;

}  // namespace

void say_once(std::vector<Finding>& findings) {
  const auto of_pods = static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const Finding& each) { return each.pods > 0; }));
  if (of_pods * (findings.size() - of_pods) > most_comparisons) return;
  std::vector<bool> again(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].pods > 0) continue;
    for (std::size_t j = 0; j < findings.size(); ++j)
      if (says_the_same(findings[i], findings[j])) again[findings[i].denied ? j : i] = true;
  }
  std::size_t i = 0;
  std::erase_if(findings, [&](const Finding&) { return again[i++]; });
}

}  // namespace tpuwh::server::explain
