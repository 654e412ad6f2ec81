// Which Pods a selector of labels finds.
//   source  k8s.io/apimachinery pkg/apis/meta/v1 LabelSelector, v0.36.3
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tpuwh::server::explain {

// `wanted` is a map of labels: all of them are among `labels`. A Service's selector is such a map.
bool has_labels(const nlohmann::ordered_json& labels, const nlohmann::ordered_json& wanted);

// A LabelSelector, matchLabels and matchExpressions; none finds nothing, an empty one all.
bool finds(const nlohmann::ordered_json& selector, const nlohmann::ordered_json& labels);

}  // namespace tpuwh::server::explain
