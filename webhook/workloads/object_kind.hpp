// The objects that make Pods of a workload API: what is known of a kind without reading one.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace tpuwh::webhook::workloads {

// A label or an annotation that a controller writes into each Pod. `value` has placeholders: {name}
// is the object's name, {part} is the name of the Pod's part of the object (PlainMaker::parts), and
// {index} is the number of the Pod in that part, from 0.
struct Written {
  std::string_view key, value;
};

// A controller that makes so many Pods of a template, which differ in their number alone: what
// webhook/validate/plain.cpp and kubectl/predict/expand/plain.cpp have to know of it. Members
// are those of the object's spec, or of each of its parts. Values are as in Written.
struct PlainMaker {
  std::string_view parts = {};  // the member that lists parts; "" where the spec is the only one
  std::string_view part_name = "name";  // of a part
  std::string_view count = "replicas";  // 1 where it is absent
  std::string_view pod_template = "template";
  std::string_view service = {};  // names the headless Service; "" where no member does
  std::string_view pod_name = "{name}-{index}";  // and spec.hostname
  std::string_view subdomain = {};  // where there is no `service`; "" where the template says it
  std::span<const Written> labels = {};
  std::span<const Written> annotations = {};
};

struct ObjectKind {
  std::string_view group;                    // "batch"
  std::array<std::string_view, 2> versions;  // that are checked, the newest first; "" for none
  std::string_view kind, resource;           // "CronJob", "cronjobs"
  // Null if webhook/validate and kubectl/predict/expand have special functions for this kind.
  const PlainMaker* maker = nullptr;
  // Pods have it for an owner, at once or by another one.
  bool makes_pods = true;
};

}  // namespace tpuwh::webhook::workloads
