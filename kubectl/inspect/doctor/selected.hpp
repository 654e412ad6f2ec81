// Whose Pods an entry gets: its namespaceSelector.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"

#include <optional>
#include <string>

namespace tpuwh::server::doctor {

// The API server keeps it on each namespace.
inline constexpr auto name_label = "kubernetes.io/metadata.name";

const Json& namespaces_of(const Json& entry);
const Json& namespaces_of(const Json&& entry) = delete;

// Whether Pods of a namespace are sent, as far as its labels are known; its name always is.
std::optional<bool> is_sent(const View& view, const Json& entry, const std::string& ns);

}  // namespace tpuwh::server::doctor
