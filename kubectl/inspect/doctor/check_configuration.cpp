// Whether the API server sends Pods to anybody at all.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"

#include <algorithm>

namespace tpuwh::server::doctor {

void check_configuration(const View& view, Checks& out) {
  constexpr auto check = "configuration";
  if (view.configuration.found == Found::unknown)
    return unknown(out, check, view.configuration.why);
  const Json entries = entries_of(view.configuration.object);
  if (std::ranges::all_of(entries, is_shadow))
    return fail(out, check,
                view.configuration.there() && entries.empty()
                    ? "the MutatingWebhookConfiguration tpu-webhook has no entry that a Pod reaches"
                : view.configuration.there()
                    ? "the MutatingWebhookConfiguration tpu-webhook has only entries of shadow "
                      "namespaces"
                    : "there is no MutatingWebhookConfiguration tpu-webhook: no Pod is sent to it",
                our_release(view) ? put_back(view) : install(view));
  check_entries(view, out);
  check_policies(view, out);
  check_namespaces(view, out);
}

}  // namespace tpuwh::server::doctor
