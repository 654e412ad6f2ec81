// Objects that a controller makes beside Pods, as it sends them.
#pragma once

#include "kubectl/predict/expand/children.hpp"
#include "kubectl/predict/expand/pod_template.hpp"

#include <string>

namespace tpuwh::server::expand {

// metadata.ownerReferences of what `owner` makes.
Json owner_references(const Owner& owner);

// `child` as `owner` makes it, with the labels and annotations of `given`; without a spec.
Json begin_child(const Owner& child, const Owner& owner, const Json& given);

Owner service_called(std::string ns, std::string name);

// It gives Pods with the labels of `selector` their host names, also before they are ready.
Json headless_service(const Owner& service, const Owner& owner, Json selector);

}  // namespace tpuwh::server::expand
