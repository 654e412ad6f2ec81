// The ServiceAccount that the Pods run as.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tpuwh::server::doctor {

namespace {

constexpr auto account_line = "account";

// Secrets that each Pod of the account gets, or may mount: the chart names them in its Pods alone.
std::vector<std::string> secrets_of(const Json& account) {
  std::vector<std::string> out;
  for (const char* list : {"imagePullSecrets", "secrets"})
    for (const Json& each : text::member(account, list))
      out.push_back(text::text_member(each, "name"));
  return out;
}

}  // namespace

void check_account(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  const std::string name = account_of(view.deployment.object);
  const std::string account = fmt::format("ServiceAccount {}/{}", view.ns, name);
  if (view.account.found == Found::absent)
    return fail(
        out, account_line, account + " does not exist: no Pod of the Deployment can be created",
        name == running::installed_name ? put_back(view)
                                        : "create it, or let the Deployment name tpu-webhook");
  if (!view.account.there()) return unknown(out, account_line, view.account.why);
  if (name == running::installed_name &&
      text::member(view.account.object, "automountServiceAccountToken") != false)
    return warn(out, account_line,
                account +
                    " gives its token to every Pod that runs as it and does not opt out: "
                    "automountServiceAccountToken is not false",
                put_back(view));
  const auto secrets = secrets_of(view.account.object);
  ok(out, account_line,
     fmt::format("{} gives its token only to Pods that ask for it{}", account,
                 secrets.empty() ? std::string()
                                 : fmt::format("; its Secrets, which the chart does not name: {}",
                                               fmt::join(secrets, ", "))));
}

}  // namespace tpuwh::server::doctor
