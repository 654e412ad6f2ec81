#include "kubectl/policy/breaches.hpp"

#include "kubectl/objects/api_version.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/policy/hygiene.hpp"
#include "kubectl/policy/rules_law.hpp"
#include "kubectl/team_rules/asked.hpp"
#include "kubectl/team_rules/judge.hpp"
#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <utility>

namespace tpuwh::server::policy {

namespace {

using text::text_member;

std::vector<team_rules::Broken> broken(const Question& question, const Json& object) {
  return team_rules::judge(
      question.rules, question.ns,
      team_rules::asked_of(object, question.prefix, question.ns, question.cluster));
}

}  // namespace

std::vector<Breach> breaches(const Question& question, const Json& object, const Json& before) {
  std::vector<Breach> out;
  const std::string kind = text_member(object, "kind");
  const auto old = broken(question, before);
  const team_rules::BrokenBefore broken_before(old);
  for (team_rules::Broken& each : broken(question, object))
    if (!broken_before.includes(each))
      out.push_back({std::string(each.id), std::move(each.sentence), is_refused(kind, each.id)});
  for (Unclean& each : unclean(question.rules, question.ns, object, templates_with_chips(object)))
    out.push_back({std::move(each.id), std::move(each.sentence), true});
  return out;
}

bool made_by_judged(const Json& object) {
  for (const Json& owner : objects::at(object, {"metadata", "ownerReferences"})) {
    const std::string version = text_member(owner, "apiVersion");
    if (objects::at(owner, {"controller"}) == Json(true) &&
        webhook::workloads::find_object(objects::split_api_version(version).group,
                                        text_member(owner, "kind")))
      return true;
  }
  return false;
}

}  // namespace tpuwh::server::policy
