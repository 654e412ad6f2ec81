// Checks the keeper: the Deployment that issues and renews the serving certificate if the chart's
// value certificate.mode is "internal".
#include "kubectl/certificate/rights.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::doctor {

void check_keeper(const View& view, Checks& out) {
  constexpr auto check = "keeper";
  if (!view.is_kept) return;
  const std::string name = fmt::format("Deployment {}/{}", view.ns, certificate::keeper_name);
  if (view.keeper.found == Found::absent)
    return fail(out, check, name + " does not exist: nothing renews the certificate",
                put_back(view));
  if (!view.keeper.there()) return unknown(out, check, view.keeper.why);
  if (view.keeper_account.found == Found::absent)
    return fail(out, check,
                fmt::format("ServiceAccount {}/{} does not exist: no Pod of {} can be created",
                            view.ns, certificate::keeper_name, name),
                put_back(view));
  const Json& available =
      text::member(text::member(view.keeper.object, "status"), "availableReplicas");
  if (!available.is_number_integer() || available.get<long>() < 1)
    return fail(out, check, name + " has no available Pod: nothing renews the certificate",
                kubectl(view.ns, fmt::format("describe deployment/{}", certificate::keeper_name)));
  ok(out, check, name + " issues and renews the certificate");
}

}  // namespace tpuwh::server::doctor
