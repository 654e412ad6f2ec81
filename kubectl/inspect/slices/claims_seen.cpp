#include "kubectl/inspect/slices/claims_seen.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/objects/object.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::slices {

namespace {

constexpr auto claim_kind = "ResourceClaim";
constexpr auto template_kind = "ResourceClaimTemplate";

}  // namespace

void ClaimsSeen::add(std::string_view kind, const Json& object) {
  if (kind != claim_kind && kind != template_kind) return;
  const Json& metadata = text::member(object, "metadata");
  there_[std::string(kind)].insert(
      {text::text_member(metadata, "namespace"), text::text_member(metadata, "name")});
}

void ClaimsSeen::look_at(const Json& pod) {
  if (objects::has_ended(pod)) return;
  const std::string ns = text::text_member(text::member(pod, "metadata"), "namespace");
  std::set<std::string_view> counted;
  for (const Json& claim : text::member(text::member(pod, "spec"), "resourceClaims"))
    for (const auto& [kind, key] : {std::pair{template_kind, "resourceClaimTemplateName"},
                                    std::pair{claim_kind, "resourceClaimName"}}) {
      const std::string name = text::text_member(claim, key);
      if (name.empty() || there_[kind].contains({ns, name})) continue;
      Missing& missing = missing_[kind];
      missing.names.insert({ns, name});
      if (counted.insert(kind).second) ++missing.pods;
    }
}

std::vector<std::string> ClaimsSeen::not_known() const {
  std::vector<std::string> out;
  for (const auto& [kind, missing] : missing_) {
    const auto& [ns, name] = *missing.names.begin();
    const std::string one =
        fmt::format("{} {}/{}", kind, base::printable(ns), base::printable(name, 100));
    const std::size_t others = missing.names.size() - 1;
    out.push_back(fmt::format(
        "whether {} for chips: {}{} {} not in the snapshot",
        missing.pods == 1 ? "1 Pod asks" : fmt::format("{} Pods ask", missing.pods), one,
        others == 0 ? "" : " and " + base::counted(others, "other"), others == 0 ? "is" : "are"));
  }
  return out;
}

}  // namespace tpuwh::server::slices
