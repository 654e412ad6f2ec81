// Pods of an object of which webhook::workloads::PlainMaker says what its controller makes.
#pragma once

#include "kubectl/predict/expand/pod_template.hpp"
#include "webhook/workloads/object_kind.hpp"

#include <cstdint>

namespace tpuwh::server::expand {

std::uint64_t count_plain(const Json& object, const webhook::workloads::PlainMaker& maker);

Result<void> expand_plain(const Parent& object, const webhook::workloads::PlainMaker& maker,
                          const ExpandOptions& options, const Visit& visit);

}  // namespace tpuwh::server::expand
