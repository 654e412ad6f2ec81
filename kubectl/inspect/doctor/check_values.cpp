// What values of the chart choose of the Pods: with what it was to be compared only they say.
#include "kubectl/inspect/doctor/check.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace tpuwh::server::doctor {

namespace {

// What is short as it stands; of what is long its members.
std::string chosen_text(const Json& value) {
  constexpr std::size_t longest = 200;
  if (value.is_string()) return value.get<std::string>();
  const std::string text = text::dump_json(value);
  if (text.size() <= longest) return text;
  return fmt::format("{} bytes", text.size());
}

// "NAME VALUE" of each member that is there.
std::vector<std::string> members_of(const Json& object, std::initializer_list<const char*> keys) {
  std::vector<std::string> out;
  for (const char* key : keys)
    if (const Json& value = text::member(object, key); !value.is_null() && !value.empty())
      out.push_back(fmt::format("{} {}", key, chosen_text(value)));
  return out;
}

// Names alone: what a variable says may be nobody's business.
std::vector<std::string> names_in(const char* what, const Json& list,
                                  const std::set<std::string>& of_the_chart = {}) {
  std::vector<std::string> out;
  for (const Json& each : list)
    if (const auto name = text::text_member(each, "name"); !of_the_chart.contains(name))
      out.push_back(name);
  if (out.empty()) return {};
  return {fmt::format("{} {}", what, fmt::join(out, ", "))};
}

}  // namespace

void check_values(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  const Json& pod = pod_template(view.deployment.object);
  const Json& spec = text::member(pod, "spec");
  const Json& program = own_container(pod);
  std::vector<std::string> said;
  const auto add = [&](std::vector<std::string> more) {
    said.insert(said.end(), more.begin(), more.end());
  };
  add(members_of(program, {"image", "imagePullPolicy", "resources"}));
  add(members_of(text::member(spec, "securityContext"), {"runAsUser", "runAsGroup", "fsGroup"}));
  add(members_of(spec, {"nodeSelector", "tolerations", "affinity", "terminationGracePeriodSeconds",
                        "dnsConfig"}));
  const Json& deployment = text::member(view.deployment.object, "spec");
  add(members_of(deployment, {"minReadySeconds"}));
  add(members_of(text::member(deployment, "strategy"), {"rollingUpdate"}));
  add(names_in("imagePullSecrets", text::member(spec, "imagePullSecrets")));
  add(names_in("variables", text::member(program, "env")));
  add(names_in("volumes", text::member(spec, "volumes"), {"config", "certificate", "account"}));
  ok(out, "values",
     fmt::format("fields of the Pods that values set, not compared: {}", fmt::join(said, "; ")));
}

}  // namespace tpuwh::server::doctor
