#include "server/rules/entries.hpp"

#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <ranges>
#include <string_view>

namespace tpuwh::server::rules {

namespace {

using webhook::workloads::Workload;

// An error in an expression would refuse a Pod, so every field that may be absent is guarded. The
// API server leaves out what is empty, but containers, which it sends as null; such a Pod is
// refused later with a better sentence.
//
// No loop is longer than 500: the API server's cost accounting makes one of n turns take n² time
// (cel-go 0.26, 20,000 annotations: 1.4 s). Such a Pod is sent, and read in less.
constexpr std::string_view asks_for_tpu =
    R"([object.spec.containers != null ? object.spec.containers : [],
 has(object.spec.initContainers) ? object.spec.initContainers : []].exists(list,
  list.size() > 500 || list.exists(c, has(c.resources) &&
    (has(c.resources.limits) && 'google.com/tpu' in c.resources.limits ||
     has(c.resources.requests) && 'google.com/tpu' in c.resources.requests))))";

constexpr std::string_view has_claims = "has(object.spec.resourceClaims)";

constexpr std::string_view annotated =
    R"(has(object.metadata.annotations) && (object.metadata.annotations.size() > 500 ||
  object.metadata.annotations.exists(key, key.startsWith('{}'))))";

// A list of one is how CEL gives a value a name.
constexpr std::string_view with_labels =
    R"([object.metadata.?labels.orValue({{}})].exists(labels,
{}))";

// Its controller, else the first of its owners, as webhook/read reads them.
constexpr std::string_view with_owner =
    R"([object.metadata.?ownerReferences.orValue([])].exists(owners,
[owners.size() == 0 || owners.size() > 500 ? '' :
 owners.exists(o, o.?controller.orValue(false)) ?
 owners.filter(o, o.?controller.orValue(false))[0].kind : owners[0].kind].exists(owner_kind,
{})))";

// Where `labels` and `owner_kind` stand for those of the Pod.
std::string of_pod(const std::string& condition) {
  const bool asks_owner = condition.find("owner_kind") != std::string::npos;
  return fmt::format(with_labels, asks_owner ? fmt::format(with_owner, condition) : condition);
}

std::string indented(std::string_view text, std::string_view by) {
  std::string out;
  for (const auto line : std::views::split(text, '\n'))
    out += fmt::format("{}{}\n", by, std::string_view(line.begin(), line.end()));
  return out;
}

}  // namespace

Conditions conditions(const std::string& prefix) {
  return {.asks_for_tpu = std::string(asks_for_tpu),
          .has_claims = std::string(has_claims),
          .annotated = fmt::format(annotated, prefix)};
}

std::vector<Entry> entries(const std::string& prefix) {
  const Conditions is = conditions(prefix);
  std::vector<Entry> out;
  std::string before;  // none of the workload APIs so far
  for (const Workload& workload : webhook::workloads::workloads()) {
    const bool rest = &workload == &webhook::workloads::workloads().back();
    const std::string of_workload = of_pod(rest ? before.substr(0, before.rfind(" &&"))
                                                : fmt::format("{}({})", before, workload.cel));
    out.push_back({
        .name =
            rest ? "pods.tpu-webhook.dev" : fmt::format("{}.pods.tpu-webhook.dev", workload.name),
        .expression = fmt::format("{} &&\n{}", is.asks_for_tpu, of_workload),
        .workload = std::string(workload.name),
        .of_workload = of_workload,
        .label_key = std::string(workload.label_key),
        .label_value = std::string(workload.label_value),
    });
    before += fmt::format("!({}) &&\n", workload.cel);
  }
  // Pods known by our annotations alone, whoever made them.
  Entry& rest = out.back();
  rest.expression = fmt::format("{} ?\n{} :\n!{} &&\n{}", is.asks_for_tpu, rest.of_workload,
                                is.has_claims, is.annotated);
  out.push_back({.name = "claims.pods.tpu-webhook.dev",
                 .expression = fmt::format("!{} &&\n{}", is.asks_for_tpu, is.has_claims)});
  return out;
}

std::vector<Objects> objects() {
  std::vector<Objects> out;
  for (const Workload& workload : webhook::workloads::workloads()) {
    const Workload* seen = nullptr;
    for (const webhook::workloads::ObjectKind& object : workload.objects) {
      if (seen != &workload || out.back().group != object.group) {
        out.push_back({.workload = std::string(workload.name),
                       .group = std::string(object.group),
                       .versions = {},
                       .resources = {}});
        for (const std::string_view version : object.versions)
          if (!version.empty()) out.back().versions.emplace_back(version);
      }
      seen = &workload;
      out.back().resources.emplace_back(object.resource);
    }
  }
  return out;
}

std::string entries_yaml(const std::string& prefix) {
  std::string out;
  for (const Entry& entry : entries(prefix)) {
    out += fmt::format("- name: {}\n", entry.name);
    if (!entry.label_key.empty())
      out += fmt::format(
          "  objectSelector:\n    matchExpressions:\n      - key: {}\n        operator: {}\n{}",
          entry.label_key, entry.label_value.empty() ? "Exists" : "In",
          entry.label_value.empty() ? ""
                                    : fmt::format("        values: [{}]\n", entry.label_value));
    out += fmt::format("  matchConditions:\n    - name: {}\n      expression: |-\n{}",
                       entry.workload.empty() ? "resource-claims" : entry.workload,
                       indented(entry.expression, "        "));
  }
  return out;
}

nlohmann::ordered_json entries_json(const std::string& prefix) {
  const Conditions is = conditions(prefix);
  nlohmann::ordered_json out = {{"asksForTpu", is.asks_for_tpu},
                                {"hasClaims", is.has_claims},
                                {"annotated", is.annotated},
                                {"entries", nlohmann::ordered_json::array()}};
  for (const Entry& entry : entries(prefix))
    out["entries"].push_back({{"name", entry.name},
                              {"workload", entry.workload},
                              {"labelKey", entry.label_key},
                              {"labelValue", entry.label_value},
                              {"ofWorkload", entry.of_workload},
                              {"expression", entry.expression}});
  out["objects"] = nlohmann::ordered_json::array();
  for (const Objects& each : objects())
    out["objects"].push_back({{"workload", each.workload},
                              {"group", each.group},
                              {"versions", each.versions},
                              {"resources", each.resources}});
  return out;
}

}  // namespace tpuwh::server::rules
