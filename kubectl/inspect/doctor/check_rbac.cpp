#include "kubectl/certificate/rights.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "server/kube/cluster/rbac.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

bool covers(const Json& list, const std::string& wanted) {
  return list.is_array() &&
         std::ranges::any_of(list, [&](const Json& each) { return each == wanted || each == "*"; });
}

// A rule without names is for all.
bool names_allow(const Json& given, const kube::cluster::RbacRule& rule) {
  return given.is_null() ||
         (!rule.names.empty() &&
          std::ranges::all_of(rule.names, [&](const auto& each) { return covers(given, each); }));
}

bool grants(const Json& role, const kube::cluster::RbacRule& rule, const std::string& verb) {
  const Json& rules = text::member(role, "rules");
  return rules.is_array() && std::ranges::any_of(rules, [&](const Json& each) {
           return covers(text::member(each, "apiGroups"), rule.api_group) &&
                  covers(text::member(each, "resources"), rule.resource) &&
                  covers(text::member(each, "verbs"), verb) &&
                  names_allow(text::member(each, "resourceNames"), rule);
         });
}

// Returns the RBAC rules that the Pods of tpu-webhook need for the features that are on in this
// installation.
std::vector<kube::cluster::RbacRule> needed(const View& view) {
  return kube::cluster::rbac_rules({.features = features_of(view)});
}

// Returns the RBAC rules that the roles of tpu-webhook may contain without a warning: the rules
// that the Pods need or, if the settings are not known, the rules for all features.
std::vector<kube::cluster::RbacRule> allowed(const View& view) {
  if (settings_known(view)) return needed(view);
  return kube::cluster::rbac_rules({.features = {.claims = true}});
}

// A ServiceAccount of the chart, its roles, the RBAC rules that this account needs, and the rules
// that its roles may contain (`allowed`).
struct Holder {
  const View& view;
  std::string name;     // the name of the account's roles and of their bindings
  std::string account;  // the name of the ServiceAccount
  std::string command;  // the command that runs as this account, such as "tpu-webhook serve"
  const Roles& roles;
  std::vector<kube::cluster::RbacRule> needed, allowed;
};

std::string how_to_fix(const Holder& holder) {
  return with_note(put_back(holder.view), fmt::format("or apply the output of {}",
                                                      holder.name == running::installed_name
                                                          ? "kubectl tpu rules --rbac"
                                                          : "kubectl tpu certificate rights"));
}

// "list watch of pods; get of configmaps".
std::vector<std::string> missing(const Holder& holder, const Json& role, bool own_namespace) {
  std::vector<std::string> out;
  for (const kube::cluster::RbacRule& rule : holder.needed) {
    if (rule.own_namespace != own_namespace) continue;
    std::vector<std::string> verbs;
    for (const std::string& verb : rule.verbs)
      if (!grants(role, rule, verb)) verbs.push_back(verb);
    if (verbs.empty()) continue;
    const std::string resource =
        rule.api_group.empty() ? rule.resource : rule.resource + "." + rule.api_group;
    out.push_back(fmt::format("{} of {}", fmt::join(verbs, ", "), resource));
  }
  return out;
}

// "*" or "get of secrets": of a rule what no rule of ours asks for. A rule is larger than one of
// ours that says the same of fewer names.
std::vector<std::string> superfluous(const Holder& holder, const Json& role, bool own_namespace) {
  const auto asked = [&](const std::string& group, const std::string& resource,
                         const std::string& verb, const Json& names) {
    return std::ranges::any_of(holder.allowed, [&](const auto& rule) {
      const bool narrow =
          rule.names.empty() ||
          (names.is_array() && !names.empty() &&
           std::all_of(names.begin(), names.end(), [&](const Json& each) {
             return each.is_string() &&
                    std::ranges::find(rule.names, each.get<std::string>()) != rule.names.end();
           }));
      return rule.own_namespace == own_namespace && rule.api_group == group &&
             rule.resource == resource && narrow &&
             std::ranges::find(rule.verbs, verb) != rule.verbs.end();
    });
  };
  std::vector<std::string> out;
  for (const Json& rule : text::member(role, "rules")) {
    const Json& names = text::member(rule, "resourceNames");
    for (const Json& group : text::member(rule, "apiGroups"))
      for (const Json& resource : text::member(rule, "resources"))
        for (const Json& verb : text::member(rule, "verbs"))
          if (group.is_string() && resource.is_string() && verb.is_string() &&
              !asked(group, resource, verb, names))
            out.push_back(
                fmt::format("{} of {}{}", verb.get<std::string>(), resource.get<std::string>(),
                            group == "" ? std::string() : "." + group.get<std::string>()));
    if (const Json& paths = text::member(rule, "nonResourceURLs"); !paths.empty())
      out.push_back(text::dump_json(paths));
  }
  return out;
}

// Others that a binding gives the same rights.
std::vector<std::string> other_subjects(const Json& binding, const std::string& account,
                                        const std::string& ns) {
  std::vector<std::string> out;
  for (const Json& each : text::member(binding, "subjects"))
    if (text::text_member(each, "kind") != "ServiceAccount" ||
        text::text_member(each, "name") != account || text::text_member(each, "namespace") != ns)
      out.push_back(
          fmt::format("{} {}", text::text_member(each, "kind"), text::text_member(each, "name")));
  return out;
}

bool binds(const Json& binding, const std::string& kind, const Holder& holder) {
  const Json& role = text::member(binding, "roleRef");
  if (text::text_member(role, "kind") != kind || text::text_member(role, "name") != holder.name ||
      text::text_member(role, "apiGroup") != "rbac.authorization.k8s.io")
    return false;
  const Json& subjects = text::member(binding, "subjects");
  return subjects.is_array() && std::ranges::any_of(subjects, [&](const Json& each) {
           return text::text_member(each, "kind") == "ServiceAccount" &&
                  text::text_member(each, "name") == holder.account &&
                  text::text_member(each, "namespace") == holder.view.ns;
         });
}

// Returns the JSON pointer to the field through which Kubernetes aggregates this ClusterRole with
// others, or "" if the ClusterRole has no such field. With aggregationRule, a controller copies the
// rules of other ClusterRoles into this one. With a label aggregate-to-NAME, the controller copies
// the rules of this ClusterRole into the ClusterRole NAME (view, edit or admin).
std::string aggregation(const Json& role) {
  constexpr auto rule = "aggregationRule";
  if (!text::member(role, rule).is_null()) return std::string("/") + rule;
  const Json& labels = text::member(text::member(role, "metadata"), "labels");
  if (!labels.is_object()) return {};
  for (const auto& [key, value] : labels.items())
    if (key.starts_with("rbac.authorization.k8s.io/aggregate-to-") && value == "true")
      return "/metadata/labels/" + escaped(key);
  return {};
}

void warn_of_aggregation(const Holder& holder, const std::string& where, Checks& out) {
  Mending mending(holder.view, holder.roles.cluster_role.object, "clusterrole " + holder.name, "");
  mending.remove(where);
  warn(out, "rbac",
       fmt::format("ClusterRole {} has {}, which combines the rules of this ClusterRole with those "
                   "of others",
                   holder.name, where),
       mending.command());
}

void check_role(const Holder& holder, const std::string& kind, const Read& role,
                const Read& binding, Checks& out) {
  constexpr auto check = "rbac";
  if (role.found == Found::unknown) return unknown(out, check, role.why);
  if (binding.found == Found::unknown) return unknown(out, check, binding.why);
  const auto absent = [&](const std::string& what) {
    fail(out, check, fmt::format("there is no {} {}", what, holder.name), how_to_fix(holder));
  };
  if (!role.there() && !settings_known(holder.view))
    return unknown(
        out, check,
        fmt::format("whether a {} is needed is not known: {}", kind, holder.view.config.why));
  const bool needs_role = std::ranges::any_of(
      holder.needed, [&](const auto& rule) { return rule.own_namespace == (kind == "Role"); });
  if (!needs_role && (!role.there() || !binding.there())) return;
  if (!role.there()) return absent(kind);
  if (!binding.there()) return absent(kind + "Binding");
  const auto lacking = missing(holder, role.object, kind == "Role");
  if (!lacking.empty())
    fail(out, check, fmt::format("{} {} lacks {}", kind, holder.name, fmt::join(lacking, "; ")),
         how_to_fix(holder));
  else if (!binds(binding.object, kind, holder))
    fail(out, check,
         fmt::format("{}Binding {} does not bind the {} to ServiceAccount {}/{}", kind, holder.name,
                     kind, holder.view.ns, holder.account),
         how_to_fix(holder));
  else if (const auto more = superfluous(holder, role.object, kind == "Role"); !more.empty())
    warn(out, check,
         fmt::format("{} {} grants more than `{}` needs: {}", kind, holder.name, holder.command,
                     fmt::join(more, ", ")),
         how_to_fix(holder));
  else if (const auto where = aggregation(role.object); !where.empty())
    warn_of_aggregation(holder, where, out);
  else if (const auto others = other_subjects(binding.object, holder.account, holder.view.ns);
           !others.empty())
    warn(out, check,
         fmt::format("{}Binding {} also grants the {} to {}", kind, holder.name, kind,
                     fmt::join(others, ", ")),
         how_to_fix(holder));
  else
    ok(out, check,
       fmt::format("{} {} grants what `{}` needs, and no more", kind, holder.name, holder.command));
}

void check_roles(const Holder& holder, Checks& out) {
  check_role(holder, "ClusterRole", holder.roles.cluster_role, holder.roles.cluster_role_binding,
             out);
  check_role(holder, "Role", holder.roles.role, holder.roles.role_binding, out);
}

}  // namespace

// Compares the rules in the installed roles with the rules that tpu-webhook needs. `doctor` sends
// no SubjectAccessReview, because that is a create request, and `doctor` creates no objects.
void check_rbac(const View& view, Checks& out) {
  if (needed(view).empty() && view.roles.cluster_role.found == Found::absent &&
      view.roles.role.found == Found::absent)
    ok(out, "rbac", "no roles are needed, because no feature that reads the cluster is on");
  else
    check_roles({.view = view,
                 .name = running::installed_name,
                 .account = account_of(view.deployment.object),
                 .command = "tpu-webhook serve",
                 .roles = view.roles,
                 .needed = needed(view),
                 .allowed = allowed(view)},
                out);
  if (!view.is_kept) return;
  const auto rules = certificate::keeper_rules(view.secret_name);
  check_roles({.view = view,
               .name = certificate::keeper_name,
               .account = certificate::keeper_name,
               .command = "kubectl tpu certificate keep",
               .roles = view.keeper_roles,
               .needed = rules,
               .allowed = rules},
              out);
}

}  // namespace tpuwh::server::doctor
