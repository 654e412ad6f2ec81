#include "kubectl/predict/explain/env_from.hpp"

#include "kubectl/inspect/slices/env_entries.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::server::explain {

namespace {

bool takes_from_elsewhere(const Containers::value_type& each) {
  return !text::member(*each.second, "envFrom").empty();
}

// A variable of the slice in a ConfigMap.
struct Given {
  std::string value, config_map;
};

class OfContainer {
 public:
  OfContainer(const AnsweredPod& pod, std::string name, const Json& before, const Json& after,
              const Surroundings& beside)
      : pod_(pod),
        name_(std::move(name)),
        before_(before),
        after_(after),
        ns_(text::text_member(at(pod.before, {"metadata"}), "namespace")),
        beside_(beside) {}

  void look(EnvFrom& out) {
    if (text::member(before_, "env") == text::member(after_, "env")) return;
    for (const Json& source : text::member(before_, "envFrom")) take(source, out.notes);
    for (const auto& [variable, given] : given_) tell(variable, given, out.findings);
  }

 private:
  void take(const Json& source, std::vector<std::string>& notes) {
    const std::string secret = text::text_member(text::member(source, "secretRef"), "name");
    const std::string name = text::text_member(text::member(source, "configMapRef"), "name");
    const Json* found = name.empty() ? nullptr : beside_.find("ConfigMap", ns_, name);
    if (found == nullptr) {
      notes.push_back(
          fmt::format("not known: the content of {} {}, from which container {} takes variables "
                      "(envFrom); injected variables override them",
                      name.empty() ? "Secret" : "ConfigMap", name.empty() ? secret : name, name_));
      return;
    }
    const Json& data = text::member(*found, "data");
    if (!data.is_object()) return;
    const std::string prefix = text::text_member(source, "prefix");
    for (const std::string_view variable : webhook::read::variable_names)
      if (variable.starts_with(prefix))
        if (const Json* value =
                text::find_member(data, std::string(variable.substr(prefix.size())));
            value != nullptr && value->is_string())
          given_[std::string(variable)] = {value->get<std::string>(), name};
  }

  void tell(const std::string& variable, const Given& given, std::vector<Finding>& out) const {
    if (slices::env_entry(before_, variable) != nullptr) return;  // the user's own goes before it
    const Json* injected = slices::env_entry(after_, variable);
    const bool unread = injected == nullptr && variable == "MEGASCALE_NUM_SLICES" &&
                        pod_.seen.workload == webhook::config::WorkloadKind::ray;
    if (injected == nullptr && !unread) return;
    // A ConfigMap says the same to all Pods.
    const bool differs = variable == "TPU_WORKER_ID" || variable == "MEGASCALE_SLICE_ID";
    const bool same = injected != nullptr && text::text_member(*injected, "value") == given.value;
    if (same && !(differs && pod_.seen.multi_host())) return;
    out.push_back(
        {.denied = false,
         .id = ids::of_explain("env-from"),
         .sentence = fmt::format(
             "container {} takes {} from ConfigMap {} by envFrom, {}", name_, variable,
             given.config_map,
             unread ? "which tpu-webhook does not read: no other MEGASCALE variable is injected"
                    : "and the value that is injected into env overrides it"),
         .fix = fixes::Choice{fmt::format("write {} into env of the container, where it is kept, "
                                          "or remove it from the ConfigMap",
                                          variable)}});
  }

  const AnsweredPod& pod_;
  const std::string name_;
  const Json& before_;
  const Json& after_;
  const std::string ns_;
  const Surroundings& beside_;
  std::map<std::string, Given> given_;
};

}  // namespace

EnvFrom variables_from(const AnsweredPod& pod, const Surroundings& beside) {
  EnvFrom out;
  const Containers before = containers_of(pod.before);
  if (std::ranges::none_of(before, takes_from_elsewhere)) return out;
  const Containers after = containers_of(pod.after);
  for (const slices::TpuProcess& process : pod.seen.processes) {
    const auto was = before.find(process.container), is = after.find(process.container);
    if (was != before.end() && is != after.end())
      OfContainer(pod, process.container, *was->second, *is->second, beside).look(out);
  }
  return out;
}

}  // namespace tpuwh::server::explain
