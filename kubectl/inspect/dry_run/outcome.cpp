#include "kubectl/inspect/dry_run/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tpuwh::server::dry_run {

namespace {

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What stands before `end`, which is taken too; nothing where it does not come.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view out = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return out;
}

Outcome of(Who who, std::string_view name, std::string_view words) {
  return {.who = who, .name = std::string(name), .words = std::string(words)};
}

// A webhook's own words come after its name, so nothing that it says passes for another's.
std::optional<Outcome> of_webhook(std::string_view text) {
  std::string_view rest = text;
  if (take(rest, "admission webhook \"")) {
    const auto name = take_until(rest, "\" ");
    if (name && take(rest, "does not support dry run")) return of(Who::no_dry_run, *name, {});
    if (name && take(rest, "denied the request: ")) return of(Who::webhook, *name, rest);
    if (name && take(rest, "denied the request"))
      return of(Who::webhook, *name, "without a reason");
    return std::nullopt;
  }
  take(rest, "Internal error occurred: ");
  if (!take(rest, "failed calling webhook \"")) return std::nullopt;
  const auto name = take_until(rest, "\"");
  if (!name) return std::nullopt;
  take(rest, ": ");
  take(rest, "failed to call webhook: ");
  return of(Who::webhook_failed, *name, rest);
}

std::optional<Outcome> of_policy(std::string_view text) {
  std::string_view rest = text;
  const bool named = take(rest, "ValidatingAdmissionPolicy '") ||
                     take(rest, "MutatingAdmissionPolicy '") || take(rest, "policy '");
  if (!named) return std::nullopt;
  const auto name = take_until(rest, "'");
  if (!name || !has(rest, "denied request: ")) return std::nullopt;
  take_until(rest, "denied request: ");
  return of(Who::policy, *name, rest);
}

std::optional<Outcome> of_quota(std::string_view text) {
  std::string_view rest = text;
  if (take(rest, "exceeded quota: ") || take(rest, "failed quota: ")) {
    const std::size_t end = std::min(rest.find_first_of(",:"), rest.size());
    return of(Who::quota, rest.substr(0, end), text);
  }
  if (take(rest, "status unknown for quota: "))
    return of(Who::quota_unknown, rest.substr(0, rest.find(',')), text);
  if (rest.starts_with("insufficient quota to ")) return of(Who::quota, {}, text);
  return std::nullopt;
}

std::optional<Outcome> of_pod_security(std::string_view text) {
  std::string_view rest = text;
  if (!take(rest, "violates PodSecurity \"")) return std::nullopt;
  const auto level = take_until(rest, "\"");
  if (!level) return std::nullopt;
  take(rest, ": ");
  return of(Who::pod_security, *level, rest);
}

// "maximum cpu usage per Container is 1, but limit is 2", one or several of them in brackets.
bool is_of_limit_range(std::string_view text) {
  take(text, "[");
  const bool bound = text.starts_with("minimum ") || text.starts_with("maximum ");
  return (bound && has(text, " usage per ")) || has(text, " max limit to request ratio per ") ||
         has(text, "error enforcing limit ranges");
}

// Behind "pods "NAME" is forbidden: ".
Outcome of_plug_in(std::string_view text) {
  if (auto found = of_policy(text)) return *found;
  if (auto found = of_quota(text)) return *found;
  if (auto found = of_pod_security(text)) return *found;
  if (is_of_limit_range(text)) return of(Who::limit_range, {}, text);
  if (text.starts_with("error looking up service account "))
    return of(Who::service_account, {}, text);
  std::string_view rest = text;
  if (take(rest, "no PriorityClass with name ")) {
    const std::string_view name = rest.substr(0, rest.find(' '));
    return of(Who::priority_class, name, text);
  }
  if (has(text, "because it is being terminated")) return of(Who::no_namespace, {}, text);
  if (text.starts_with("cannot set blockOwnerDeletion") ||
      text.starts_with("cannot set an ownerRef"))
    return of(Who::owner_references, {}, text);
  return of(Who::plug_in, {}, text);
}

// 403. The authorizer does not know yet what the object is called, and admission does:
// `pods is forbidden: User "u" cannot create …`, `pods "x" is forbidden: …`.
Outcome of_forbidden(std::string_view text) {
  std::string_view rest = text;
  const auto subject = take_until(rest, " is forbidden: ");
  if (!subject) return of(Who::plug_in, {}, text);
  const bool named = has(*subject, "\"");
  if (!named && rest.starts_with("User \"") && has(rest, "\" cannot "))
    return of(Who::rights, {}, rest);
  return of_plug_in(rest);
}

Outcome of_not_found(std::string_view text) {
  std::string_view rest = text;
  if (take(rest, "namespaces \"")) return of(Who::no_namespace, {}, text);
  return of(Who::not_served, {}, text);
}

Outcome of_refusal(const kube::client::Status& status) {
  const std::string_view text = status.message;
  if (auto found = of_webhook(text)) return *found;
  switch (status.code) {
    case 400:
      return of(Who::fields, {}, text);
    case 401:
      return of(Who::credentials, {}, text);
    case 403:
      return of_forbidden(text);
    case 404:
      return of_not_found(text);
    case 409:
      return of(status.reason == "AlreadyExists" ? Who::exists : Who::busy, {}, text);
    case 422: {  // a policy gives the code that it likes, and this by itself
      std::string_view rest = text;
      if (take_until(rest, " is forbidden: ")) return of_plug_in(rest);
      return of(Who::fields, {}, text);
    }
    case 429:
    case 503:
    case 504:
      return of(Who::busy, {}, text);
    default:
      break;
  }
  std::string_view rest = text;
  if (take_until(rest, " is forbidden: "))
    if (auto found = of_policy(rest)) return *found;
  return of(Who::api_server, {}, text);
}

}  // namespace

Outcome outcome_of(const Answer& answer) {
  if (!answer.answered) return of(Who::not_reached, {}, answer.error);
  if (answer.accepted()) return {};
  return of_refusal(answer.status);
}

bool was_asked(Who who) {
  switch (who) {
    case Who::not_reached:
    case Who::credentials:
    case Who::rights:
    case Who::no_namespace:
    case Who::not_served:
    case Who::exists:
    case Who::no_dry_run:
    case Who::busy:
    case Who::quota_unknown:
    case Who::service_account:
    case Who::owner_references:
      return false;
    default:
      return true;
  }
}

bool is_ours(std::string_view webhook) {
  constexpr std::string_view ours = "tpu-webhook.dev";
  return webhook.ends_with(ours) &&
         (webhook.size() == ours.size() || webhook[webhook.size() - ours.size() - 1] == '.');
}

std::string said(const Outcome& outcome) {
  const auto with = [&](std::string who) {
    return outcome.words.empty() ? who : fmt::format("{}: {}", who, outcome.words);
  };
  switch (outcome.who) {
    case Who::nobody:
      return "it would be stored";
    case Who::not_reached:
      return with("the API server gave no answer");
    case Who::credentials:
      return with("the API server does not accept these credentials");
    case Who::rights:
      return with("the permission to create it is missing");
    case Who::no_namespace:
      return with("its namespace does not exist, or is being deleted");
    case Who::not_served:
      return with("the API server does not serve its kind");
    case Who::exists:
      return with("an object of this name exists");
    case Who::no_dry_run:
      return fmt::format("webhook {} has side effects and takes no dry run", outcome.name);
    case Who::busy:
      return with("the API server asks to try again");
    case Who::webhook:
      return with(fmt::format("webhook {} denied it", outcome.name));
    case Who::webhook_failed:
      return with(fmt::format("webhook {} could not be asked, and its failurePolicy is Fail",
                              outcome.name));
    case Who::policy:
      return with(fmt::format("admission policy {} denied it", outcome.name));
    case Who::quota:
      return with(outcome.name.empty() ? "ResourceQuotas refused it"
                                       : fmt::format("ResourceQuota {} refused it", outcome.name));
    case Who::quota_unknown:
      return with(fmt::format("ResourceQuota {} is not counted yet", outcome.name));
    case Who::pod_security:
      return with(fmt::format("Pod Security at level {} refused it", outcome.name));
    case Who::limit_range:
      return with("a LimitRange refused it");
    case Who::service_account:
      return with("its ServiceAccount is not there");
    case Who::priority_class:
      return with(fmt::format("PriorityClass {} does not exist", outcome.name));
    case Who::owner_references:
      return with("the permission to set its owner is missing");
    case Who::fields:
      return with("the API server refused a field of it");
    case Who::plug_in:
      return with("an admission plug-in of the API server refused it");
    case Who::api_server:
      return with("the API server refused it");
  }
  return {};
}

}  // namespace tpuwh::server::dry_run
