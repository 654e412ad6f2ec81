// Which Pods a selector of labels finds.
//   source  k8s.io/apimachinery pkg/apis/meta/v1 LabelSelector, v0.36.3
#pragma once

#include "server/text/json.hpp"

#include <string_view>

namespace tpuwh::server::objects {

// A LabelSelector, matchLabels and matchExpressions; none finds nothing, an empty one all.
bool finds(const Json& selector, const Json& labels);

// One of equalities, "a=b,c=d", as a query of the API server has it; "" finds all.
bool has_labels(const Json& object, std::string_view selector);

// Of a Service, whose selector is a map of labels; without one it selects none.
bool selects(const Json& service, const Json& labels);

// A term of Pod affinity, or a spread constraint, that finds Pods labelled as the one that has it.
// One that names namespaces does not: whose these are is not looked at.
bool finds_its_own(const Json& pod, const Json& term);

}  // namespace tpuwh::server::objects
