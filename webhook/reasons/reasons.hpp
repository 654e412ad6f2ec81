// Words for what a patch does, for people who read `review --output text`.
#pragma once

#include "webhook/outcome/summary.hpp"

#include <string>
#include <string_view>

namespace tpuwh::webhook::reasons {

// Why this workload's Pods get this variable and where its value comes from.
std::string explain_variable(std::string_view variable, std::string_view workload);

// The reason of the surface row that allows the operation.
std::string explain_path(std::string_view op, std::string_view path, std::string_view prefix);

// A sentence for a reason.
std::string_view explain_reason(outcome::Reason reason);

}  // namespace tpuwh::webhook::reasons
