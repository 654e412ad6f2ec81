#include "kubectl/inspect/slices/clock.hpp"

#include "kubectl/text/rfc3339.hpp"
#include "server/text/json_text.hpp"
#include "webhook/pools/fit.hpp"

#include <string_view>

namespace tpuwh::server::slices {

namespace {

using text::member;
using text::text_member;

}  // namespace

std::optional<Time> not_ready_since(const Json& node) {
  std::optional<Time> since;
  for (const Json& each : member(member(node, "status"), "conditions"))
    if (text_member(each, "type") == "Ready" && text_member(each, "status") != "True")
      since = text::parse_time(text_member(each, "lastTransitionTime"));
  for (const Json& each : member(member(node, "spec"), "taints"))
    for (const std::string_view key : webhook::pools::unready_taints)
      if (text_member(each, "key") == key && text_member(each, "effect") == "NoExecute")
        if (const auto added = text::parse_time(text_member(each, "timeAdded"))) return added;
  return since;
}

}  // namespace tpuwh::server::slices
